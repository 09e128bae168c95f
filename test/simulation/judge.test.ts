import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeFiles } from '../../agent/sqlaudit/decode-files';
import type { AuditRecord } from '../../src/event/audit-record';
import { collect } from '../agent/sqlaudit/support/collect';
import { fixtureFile } from '../agent/sqlaudit/support/fixtures';
import { AuditFileWriter } from '../agent/sqlaudit/support/sqlaudit-writer';
import type { AuditFile, Part } from './support/audit-file';
import { AuditTarget } from './support/audit-target';
import { judgeGaps } from './support/gap-judge';
import { judge, nameOf, type Stored } from './support/judge';
import { Random } from './support/random';
import { ServerClock } from './support/session-rows';
import type { ReportedGap } from './support/tenant';

/** The judge on its own, without an agent: the stored events are what the decoder reads from the files. */
describe('the judge of a simulation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-simulation-judge-'));
  let target: AuditTarget;
  let stored: Stored[];
  beforeAll(async () => {
    const random = new Random(9);
    target = new AuditTarget({
      folder,
      name: 'Judged',
      writer: AuditFileWriter.from(fixtureFile('schema-2022')),
      random,
      clock: new ServerClock(random.fork()),
      hasHostNames: true,
      isReserved: false,
      rolloverFilesMax: null,
      onDelete: () => {},
      onRename: () => {},
    });
    for (let file = 0; file < 4; file++) {
      for (let block = 0; block < 2; block++) target.write(4, null);
      // The first file is not finished: some of its records continue in the next file.
      if (file !== 0) target.finish();
      target.rollOver(null);
    }
    const items = await collect(decodeFiles(target.files.flatMap(({ paths }) => paths)));
    stored = items.flatMap((item) => (item.kind === 'record' ? [storedOf(item.record)] : []));
  });
  afterAll(() => {
    target.close();
    rmSync(folder, { recursive: true });
  });

  /** A record as the service returns it after the ingest. */
  function storedOf({ file, fileGuid, blockOffset, index, parts, additional, ...fields }: AuditRecord) {
    const place = { file, fileGuid, blockOffset, index, parts };
    return {
      ...fields,
      sourceType: 'DirectFile',
      additional: { ...additional, ...place },
    } as object as Stored;
  }

  const problemsOf = (
    events: readonly Stored[],
    atRisk: readonly Part[] = [],
    forgotten: readonly Part[] = [],
  ) => judge([target.parts()], events, { atRisk: new Set(atRisk), forgotten: new Set(forgotten) });
  const rowsOf = (file: number) => target.parts().filter((part) => part.file === target.files[file]?.file);
  const isIn = (file: number) => (event: Stored) =>
    (event.additional as Record<string, unknown>).fileGuid === target.files[file]?.file.guid;
  const gapIn = (file: number, change: Partial<ReportedGap> = {}): ReportedGap => ({
    gapId: 'g',
    reason: 'FILE_DELETED',
    detail: '',
    fileName: 'f',
    afterTime: null,
    beforeTime: null,
    fileGuid: target.files[file]?.file.guid ?? null,
    ...change,
  });

  it('finds no problem if every record arrived and split records are joined', () => {
    expect(stored.length).toBeGreaterThan(30);
    expect(target.parts().length).toBeGreaterThan(stored.length);
    expect(problemsOf(stored)).toEqual({ problems: [], lost: [] });
  });

  it('finds each record that is missing, changed, stored twice or invented', () => {
    const [first, ...others] = stored;
    if (!first) throw new Error('there are records');
    expect(problemsOf(others).problems).toEqual([expect.stringContaining('is not stored')]);
    expect(problemsOf([{ ...first, objectName: 'other' }, ...others]).problems).toEqual([
      expect.stringContaining(`objectName is "other", not "${first.objectName}"`),
    ]);
    expect(problemsOf([first, ...stored]).problems).toEqual(['records are stored twice']);
    const elsewhere = { ...first.additional, fileGuid: 'another' };
    expect(problemsOf([{ ...first, additional: elsewhere }, ...stored]).problems).toEqual([
      expect.stringContaining('was never written'),
    ]);
  });

  it('accepts a split record in pieces only if a part of it is lost', () => {
    const { rows, event } = recordOverFiles();
    const others = stored.filter((one) => one !== event);
    const apart = rows.map((part) => alone(event, part));
    expect(problemsOf([...others, ...apart], rows).problems).toEqual([expect.stringContaining('is torn')]);
    expect(problemsOf([...others, ...apart.slice(1)], rows).problems).toEqual([]);
  });

  it('accepts the unchanged rest of a record a second time only if its beginning is gone and was forgotten', () => {
    const { rows, event } = recordOverFiles();
    const [begin, rest] = rows as [Part, Part];
    const again = alone(event, rest);
    const never = [expect.stringContaining('was never written')];
    expect(problemsOf([...stored, again], rows).problems).toEqual(never);
    expect(problemsOf([...stored, again], rows, [rest]).problems).toEqual(never);
    expect(problemsOf([...stored, again], rows, [begin]).problems).toEqual([]);
    const altered = { ...again, statement: 'other' };
    expect(problemsOf([...stored, altered], rows, [begin]).problems).toEqual([
      expect.stringContaining('statement is "other"'),
    ]);
  });

  it('accepts lost rows only where rows may be lost, and only with a gap', () => {
    const alone = target.files.findIndex(({ file }, i) => i > 0 && sharesNoRecord(file));
    const { problems, lost } = problemsOf(
      stored.filter((event) => !isIn(alone)(event)),
      rowsOf(alone),
    );
    expect(problems).toEqual([]);
    expect(lost.map(nameOf).sort()).toEqual(rowsOf(alone).map(nameOf).sort());
    const sight = { uncertain: new Set<never>(), untraced: new Set<never>() };
    const audits = [target.files.map(({ file }) => file)];
    const judged = (...gaps: ReportedGap[]) => judgeGaps({ audits, lost, gaps, sight });
    expect(judged()).toEqual(lost.map(() => expect.stringContaining('is lost without a gap')));
    expect(judged(gapIn(alone))).toEqual([]);
    // The agent knows only the name of a file that it never opened.
    const names = target.files.map(({ file }) => file.names[0] ?? '');
    expect(judged(gapIn(alone, { fileGuid: null, fileName: names[alone] ?? '' }))).toEqual([]);
    expect(
      judged(gapIn(alone), gapIn(alone, { fileGuid: null, fileName: names[alone + 1] ?? '' })),
    ).toHaveLength(1);
    const falseAlarm = expect.stringContaining('false alarm');
    expect(judged(gapIn(alone), gapIn(alone + 1))).toEqual([falseAlarm]);
    // A gap in an earlier file covers this file up to the next record, but only if the earlier file lost something too.
    const timeIn = (file: number) => String(rowsOf(file)[0]?.row.event_time);
    expect(judged(gapIn(alone - 1, { beforeTime: timeIn(alone + 1) }))).toEqual([falseAlarm]);
    expect(judged(gapIn(alone - 1, { beforeTime: timeIn(alone - 1) }))).toHaveLength(lost.length + 1);
  });

  /** A record whose parts lie in two files, and its stored event. */
  function recordOverFiles(): { rows: Part[]; event: Stored } {
    for (const event of stored) {
      const parts = target.parts();
      const begin = parts.find((part) => isPlaceOf(part, event));
      const rows = parts.filter(({ record }) => record === begin?.record);
      if (rows.length === 2 && rows[0]?.file !== rows[1]?.file) return { rows, event };
    }
    throw new Error('there is a record over two files');
  }

  /** The event of one row of a record, stored without the record's other rows. */
  function alone(event: Stored, { file, blockOffset, index, row }: Part): Stored {
    const place = { file: file.names[0], fileGuid: file.guid, blockOffset, index, parts: 1 };
    const additional = { ...event.additional, ...place, sequenceNumber: row.sequence_number };
    return { ...event, statement: String(row.statement), additional } as object as Stored;
  }

  function isPlaceOf({ file, blockOffset, index }: Part, { additional }: Stored): boolean {
    const place: Record<string, unknown> = additional;
    return place.fileGuid === file.guid && place.blockOffset === blockOffset && place.index === index;
  }

  function sharesNoRecord(file: AuditFile): boolean {
    const records = new Set(file.parts.map(({ record }) => record));
    const others = target.parts().filter((part) => part.file !== file);
    return records.size > 5 && !others.some(({ record }) => records.has(record));
  }
});
