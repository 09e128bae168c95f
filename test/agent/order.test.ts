import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as tinyglobby from 'tinyglobby';
import { FileBytes } from '../../agent/sqlaudit/bytes';
import { AuditFolder, guidOf, row, writer } from './gaps/support';
import { splitRow } from './sqlaudit/support/parts';
import { auditFileName } from './support/audit-files';
import { eventsOfBatch } from './support/tail-harness';

jest.mock('tinyglobby', () => ({ glob: jest.fn(jest.requireActual('tinyglobby').glob) }));

const LONG = 'x'.repeat(10_000);

/** The parts of one record lie in files 1, 2 and 3. A batch is full before file 1 is read. */
describe('a record that is split over files comes out whole, after the records before it,', () => {
  let audit: AuditFolder;
  beforeEach(() => {
    audit = new AuditFolder();
    audit.write(0, [1, 2]);
    splitRow({ ...row(3), statement: LONG }).forEach((part, i) => {
      writeFileSync(audit.path(i + 1), writer.file(guidOf(i + 1), [[part]]));
    });
    audit.write(4, [4]);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    audit.remove();
  });

  const copy = () => join(audit.spool, guidOf(1), auditFileName(1));

  /** The statements that are delivered if `meanwhile` happens after the first batch. */
  async function delivered(once: boolean, meanwhile: () => void): Promise<string[]> {
    const { tail, bookmarks, gaps } = await audit.start(once, 1);
    const statements: string[] = [];
    const stop = new AbortController();
    for await (const batch of tail.batches(stop.signal)) {
      if (statements.length === 0) meanwhile();
      statements.push(...eventsOfBatch(batch).map(({ statement }) => statement ?? ''));
      await bookmarks.save(batch.snapshot);
      if (statements.includes('SELECT 4')) stop.abort();
    }
    expect(gaps.count).toBe(0);
    return statements;
  }
  const whole = ['SELECT 1', 'SELECT 2', LONG, 'SELECT 4'];

  describe.each([
    ['an agent that follows', false],
    ['a single run', true],
  ])('by %s,', (_, once) => {
    it('if a file is removed after it was listed, and its copy in the spool takes its place', async () => {
      mkdirSync(dirname(copy()), { recursive: true });
      copyFileSync(audit.path(1), copy());
      expect(await delivered(once, () => rmSync(audit.path(1)))).toEqual(whole);
    });

    it('if a file is renamed after it was listed', async () => {
      const renamed = join(audit.folder, 'renamed.sqlaudit');
      expect(await delivered(once, () => renameSync(audit.path(1), renamed))).toEqual(whole);
    });

    it('if another file takes the name of a listed file of which a copy exists', async () => {
      copyFileSync(audit.path(1), join(audit.folder, 'copy.sqlaudit'));
      const statements = await delivered(once, () => {
        writeFileSync(audit.path(1), writer.file(guidOf(7), [[row(0)]]));
      });
      expect(statements.filter((statement) => statement !== 'SELECT 0')).toEqual(whole);
    });
  });

  it('if a listing misses a file that is being renamed', async () => {
    const { glob } = jest.requireActual<typeof tinyglobby>('tinyglobby');
    await audit.once(1);
    const listing = jest.mocked(tinyglobby.glob as (...args: unknown[]) => Promise<string[]>);
    listing.mockImplementationOnce(async (...args) => {
      const paths = await glob(...(args as Parameters<typeof glob>));
      return paths.filter((path) => path !== auditFileName(1));
    });
    expect(await delivered(false, () => {})).toEqual([LONG, 'SELECT 4']);
  });

  /** Lets the file of the first part fail to open this number of times. */
  const refused = (times: number) => () => {
    const { open } = FileBytes;
    let left = times;
    jest.spyOn(FileBytes, 'open').mockImplementation(async (path) => {
      if (path === audit.path(1) && left-- > 0)
        throw Object.assign(new Error('resource busy'), { code: 'EBUSY' });
      return open.call(FileBytes, path);
    });
  };

  it('if a file cannot be read for a moment', async () => {
    expect(await delivered(false, refused(2))).toEqual(whole);
  });

  it('unless a file cannot be read for so long that the agent publishes the others without it', async () => {
    const statements = await delivered(false, refused(Number.POSITIVE_INFINITY));
    expect(statements).toEqual(['SELECT 1', 'SELECT 2', 'x'.repeat(4_000), 'x'.repeat(2_000), 'SELECT 4']);
  });
});

it('a batch names the time of its newest event, wherever that stands among whole records', async () => {
  const audit = new AuditFolder();
  try {
    // Of the two halves of a time in the file, the first four differ in the low one alone.
    const times = ['08:00:00.1', '08:00:00.2', '08:00:00.4', '08:00:00.3', '07:52:00.9'].map(
      (time) => `2025-04-16T${time}000000Z`,
    );
    const rows = times.map((time, n) => ({ ...row(n), event_time: time }));
    writeFileSync(audit.path(0), writer.file(guidOf(0), [rows]));
    const { tail } = await audit.start(true, times.length);
    const newest: unknown[] = [];
    for await (const { events } of tail.batches(new AbortController().signal))
      if (events.length > 0) newest.push([events.length, events.newestTime]);
    expect(newest).toEqual([[times.length, times[2]]]);
  } finally {
    audit.remove();
  }
});
