import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bookmark } from '../../../agent/bookmarks/bookmark';
import { systemClock } from '../../../agent/clock';
import { LineLog } from '../../../agent/log';
import { Problems } from '../../../agent/problems';
import { findFile } from '../../../agent/source/local-folder';
import { Spool } from '../../../agent/spool/spool';
import { SpoolGuard } from '../../../agent/spool/spool-guard';
import { SpooledCopy } from '../../../agent/spool/spooled-copy';
import { FileBytes } from '../../../agent/sqlaudit/bytes';
import { FollowedFile } from '../../../agent/tail/followed-file';
import { guidOf, row, writer } from '../gaps/support';
import { auditFileName } from '../support/audit-files';

const GUID = guidOf(0);
const never = new AbortController().signal;
const bytesOf = (...records: number[]) =>
  writer.file(
    GUID,
    records.map((n) => [row(n)]),
  );

describe('copies in the spool', () => {
  let data: string;
  let spool: Spool;
  let guard: SpoolGuard;
  let entry: Bookmark | null;
  let said = '';
  beforeEach(async () => {
    data = mkdtempSync(join(tmpdir(), 'audit-guard-'));
    entry = null;
    said = '';
    const problems = new Problems('X', new LineLog((line) => (said += line)), false);
    spool = await Spool.open({ folder: join(data, 'spool'), bytesMax: 1e9, source: FileBytes, problems });
    guard = new SpoolGuard({ spool, bookmarkOf: () => entry, afterMs: 0, clock: systemClock });
    guard.delivering(new Promise(() => {}));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(data, { recursive: true });
  });

  /** The file as the agent sees it once another file is the newest of the audit. */
  const fileOf = async (bytes: Buffer): Promise<FollowedFile> => {
    const path = join(data, auditFileName(0));
    writeFileSync(path, bytes);
    const found = await findFile(path);
    const file = new FollowedFile(GUID, found, entry, (at) => FileBytes.open(at.path));
    // The file was the newest when it was last seen, so only a copy can show that it no longer grows.
    file.gone();
    file.rank(false);
    if (found) file.seen(found);
    return file;
  };
  const doneWith = (bytes: Buffer): Bookmark => ({
    file: auditFileName(0),
    blockOffset: bytes.length,
    index: 0,
    endSize: bytes.length,
  });

  it('stay while they hold more than the file held at its last bookmark', async () => {
    await guard.protect([await fileOf(bytesOf(1, 2, 3))], never);
    entry = doneWith(bytesOf(1, 2));
    await guard.release();
    expect(spool.stateOf(GUID).length).toBe(bytesOf(1, 2, 3).length);
    entry = doneWith(bytesOf(1, 2, 3));
    await guard.release();
    expect(spool.guids()).toEqual([]);
  });

  it('stay until the bookmark says that nothing can follow, or a restart would take the file for lost', async () => {
    await guard.protect([await fileOf(bytesOf(1))], never);
    entry = { ...doneWith(bytesOf(1)), mayGrow: true };
    await guard.release();
    expect(spool.stateOf(GUID).isComplete).toBe(true);
    entry = doneWith(bytesOf(1));
    await guard.release();
    expect(spool.guids()).toEqual([]);
  });

  it('are made of a published file if its bookmark says that the file may grow', async () => {
    entry = { ...doneWith(bytesOf(1)), mayGrow: true };
    const file = await fileOf(bytesOf(1));
    await guard.protect([file], never);
    expect([spool.stateOf(GUID).isComplete, file.mayGrow]).toEqual([true, false]);
  });

  it('are not made of the newest file of an audit, which rollover does not remove', async () => {
    const file = await fileOf(bytesOf(1));
    file.rank(true);
    await guard.protect([file], never);
    expect(spool.guids()).toEqual([]);
    file.rank(false);
    await guard.protect([file], never);
    expect(spool.guids()).toEqual([GUID]);
  });

  it('are made while a delivery is held up, and not after those that have ended, also by a failure', async () => {
    let elapsedMs = 0;
    const clock = { ...systemClock, elapsed: () => elapsedMs };
    const own = new SpoolGuard({ spool, bookmarkOf: () => entry, afterMs: 40, clock });
    const failed = Promise.reject(new Error('refused'));
    own.delivering(failed);
    await expect(failed).rejects.toThrow('refused');
    elapsedMs = 50;
    const file = await fileOf(bytesOf(1));
    await own.protect([file], never);
    expect(spool.guids()).toEqual([]);
    own.delivering(new Promise(() => {}));
    elapsedMs += 39;
    await own.protect([file], never);
    expect(spool.guids()).toEqual([]);
    // A later delivery that was held up for less changes nothing.
    own.delivering(new Promise(() => {}));
    elapsedMs += 1;
    await own.protect([file], never);
    expect(spool.guids()).toEqual([GUID]);
  });

  it('are removed at once if everything in them was acknowledged while they were made', async () => {
    const { extend } = SpooledCopy.prototype;
    jest.spyOn(SpooledCopy.prototype, 'extend').mockImplementation(async function (
      this: SpooledCopy,
      ...args
    ) {
      await extend.apply(this, args);
      entry = doneWith(bytesOf(1, 2));
      await guard.release();
    });
    await guard.protect([await fileOf(bytesOf(1, 2))], never);
    expect(said).toBe('');
    expect([spool.guids(), readdirSync(join(data, 'spool'))]).toEqual([[], []]);
  });
});
