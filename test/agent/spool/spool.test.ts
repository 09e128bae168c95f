import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineLog } from '../../../agent/log';
import { Problems } from '../../../agent/problems';
import type { FoundFile } from '../../../agent/source/audit-source';
import { findFile } from '../../../agent/source/local-folder';
import { Spool } from '../../../agent/spool/spool';
import { FileBytes } from '../../../agent/sqlaudit/bytes';
import { guidOf, row, writer } from '../gaps/support';
import { auditFileName } from '../support/audit-files';

const GUID = guidOf(0);
const never = new AbortController().signal;

describe('the spool', () => {
  let data: string;
  let folder: string;
  let path: string;
  let said = '';
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'audit-spool-'));
    folder = join(data, 'spool');
    path = join(data, auditFileName(0));
    said = '';
  });
  afterEach(() => rmSync(data, { recursive: true }));

  const open = (bytesMax = 1e9) =>
    Spool.open({
      folder,
      bytesMax,
      source: FileBytes,
      problems: new Problems('X', new LineLog((line) => (said += line)), false),
    });
  const bytesOf = (...records: number[]) =>
    Buffer.concat([
      writer.prologue(GUID),
      ...records.map((n, i) => writer.block([row(n)], { sequence: i + 1 })),
    ]);
  const keep = async (spool: Spool, bytes: Buffer, isLast: boolean) => {
    writeFileSync(path, bytes);
    await spool.keep({ fileGuid: GUID, paths: [(await findFile(path)) as FoundFile], isLast }, never);
  };
  const copyOf = async (spool: Spool): Promise<Buffer> =>
    readFileSync((await spool.files())[0]?.[1].path ?? '');

  it('copies whole blocks of a growing file, and the whole file once SQL Server no longer writes it', async () => {
    const spool = await open();
    const whole = bytesOf(1, 2, 3);
    const two = bytesOf(1, 2).length;
    await keep(spool, whole.subarray(0, two + 100), true);
    expect((await copyOf(spool)).equals(whole.subarray(0, two))).toBe(true);
    expect(spool.stateOf(GUID)).toEqual({ length: two, isComplete: false, isFull: false });
    await keep(spool, whole, true);
    expect((await copyOf(spool)).equals(whole)).toBe(true);
    expect(spool.stateOf(GUID).isComplete).toBe(false);
    const damaged = Buffer.concat([whole, Buffer.alloc(700, 0xee), Buffer.alloc(100_000)]);
    await keep(spool, damaged, false);
    expect((await copyOf(spool)).equals(damaged.subarray(0, whole.length + 700))).toBe(true);
    expect(spool.stateOf(GUID).isComplete).toBe(true);
    expect(await spool.files()).toMatchObject([[GUID, { name: auditFileName(0), isSpooled: true }]]);
  });

  it('continues its copies after a crash, whatever bytes the crash left behind their end', async () => {
    const whole = bytesOf(1, 2, 3);
    const two = bytesOf(1, 2).length;
    const first = await open();
    await keep(first, whole.subarray(0, two), true);
    const [[, copy] = []] = await first.files();
    writeFileSync(copy?.path ?? '', Buffer.concat([whole.subarray(0, two), Buffer.alloc(300, 7)]));
    const second = await open();
    expect(second.stateOf(GUID)).toEqual({ length: two, isComplete: false, isFull: false });
    await keep(second, whole, false);
    const third = await open();
    expect((await copyOf(third)).equals(whole)).toBe(true);
    expect(third.stateOf(GUID).isComplete).toBe(true);
  });

  it('copies from the path that holds the most records, whatever the sizes of the files', async () => {
    const spool = await open();
    const whole = bytesOf(1, 2, 3);
    const paths: FoundFile[] = [];
    for (const [i, bytes] of [bytesOf(1), whole, bytesOf(1, 2)].entries()) {
      writeFileSync(`${path}.${i}`, bytes);
      truncateSync(`${path}.${i}`, 100_000);
      paths.push((await findFile(`${path}.${i}`)) as FoundFile);
    }
    await spool.keep({ fileGuid: GUID, paths, isLast: false }, never);
    expect((await copyOf(spool)).equals(whole)).toBe(true);
    expect(spool.stateOf(GUID).isComplete).toBe(true);
  });

  it('takes no more room than allowed, and logs that it is full', async () => {
    const two = bytesOf(1, 2).length;
    const spool = await open(two);
    await keep(spool, bytesOf(1, 2, 3), false);
    expect(spool.stateOf(GUID)).toEqual({ length: two, isComplete: false, isFull: true });
    expect(said.match(/the spool is full/g)).toHaveLength(1);
    await spool.release(GUID);
    expect(await spool.files()).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes the rest of a file as far as there is room beside what it has of it', async () => {
    const whole = bytesOf(1, 2, 3);
    const damaged = Buffer.concat([whole, Buffer.alloc(700, 0xee)]);
    const spool = await open(damaged.length);
    await keep(spool, damaged, false);
    expect(spool.stateOf(GUID)).toEqual({ length: damaged.length, isComplete: true, isFull: false });
    await spool.release(GUID);
    const small = await open(damaged.length - 1);
    await keep(small, damaged, false);
    expect(small.stateOf(GUID)).toEqual({ length: whole.length, isComplete: false, isFull: true });
  });

  it('makes no copies if the configuration switches it off', async () => {
    const spool = await open(0);
    await keep(spool, bytesOf(1), false);
    expect(await spool.files()).toEqual([]);
  });

  it('reports what it cannot write, and copies it when it can again', async () => {
    const spool = await open();
    writeFileSync(folder, 'a file where the folder should be');
    await keep(spool, bytesOf(1), false);
    expect(said).toMatch(/cannot be copied to the spool: .*EEXIST/);
    rmSync(folder);
    await keep(spool, bytesOf(1), false);
    expect(spool.stateOf(GUID).isComplete).toBe(true);
  });

  it('does not copy another file that took the name of the listed one', async () => {
    const spool = await open();
    writeFileSync(path, bytesOf(1));
    const found = (await findFile(path)) as FoundFile;
    await spool.keep({ fileGuid: guidOf(1), paths: [found], isLast: false }, never);
    expect(await spool.files()).toEqual([]);
  });
});
