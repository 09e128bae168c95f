import type { Table } from '../../src/modules/reports/document';
import { type ControlRow, controlRows, sourceRows } from '../../src/modules/reports/state-rows';

/** Each value is the name of the column under which it belongs, or a time or number that it stands for. */
const TIMES: Readonly<Record<string, string>> = {
  lastRunAt: '2026-01-09T01:00:00.000Z',
  from: '2026-01-02T00:00:00.000Z',
  to: '2026-01-03T00:00:00.000Z',
  begunAt: '2026-01-04T00:00:00.000Z',
  endedAt: '2026-01-05T00:00:00.000Z',
  afterTime: '2026-01-06T00:00:00.0000000Z',
  beforeTime: '2026-01-07T00:00:00.0000000Z',
};
const PERIOD = { startTime: '2026-01-01T00:00:00.0000000Z', endTime: '2026-02-01T00:00:00.0000000Z' };
/** An object whose values are their names, times apart. */
const named = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, TIMES[name] ?? name])) as never;
const dates = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, new Date(TIMES[name] ?? '')]));

/** Each cell of a table, with the name of its column. */
const cells = ({ columns, rows }: Pick<Table, 'columns' | 'rows'>) =>
  rows.map((row) => {
    expect(row).toHaveLength(columns.length);
    return Object.fromEntries(columns.map(({ name }, i) => [name, row[i]]));
  });
const itself = (columns: Table['columns'], renamed: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(columns.map(({ name }) => [name, TIMES[name] ?? renamed[name] ?? name]));

describe('the rows of reports on what the service knows', () => {
  it('have each value of a source, its gaps, lags, log, verifications and removals under its column', () => {
    const gap: object = named('reason', 'afterTime', 'beforeTime');
    const source: object = named(
      ...['hostName', 'databaseName', 'state', 'lastEventTime', 'completeThrough', 'lagSeconds', 'gapCount'],
      'lastReported',
    );
    const report = sourceRows(
      [{ ...source, gaps: [gap] } as never],
      PERIOD,
      named('size', 'waitingEvents', 'refusedEvents', 'problem'),
      {
        removals: [{ ...dates('lastRunAt', 'from', 'to'), events: 'events' } as never],
        verifications: [
          { ...dates('begunAt', 'endedAt'), ...(named('entries', 'wrong', 'problem') as object) } as never,
        ],
        lags: [named('hostName', 'databaseName', 'minutes', 'p50Seconds', 'p99Seconds', 'worstSeconds')],
      },
    );
    const renamed = { waiting: 'waitingEvents', refused: 'refusedEvents' };
    for (const table of [report, ...report.sections])
      expect(cells(table)).toEqual([itself(table.columns, renamed)]);
    expect(report.sections).toHaveLength(5);
  });

  it('have each control under its columns, and of each framework as many of each status as there are', () => {
    const control: object = named(
      ...['frameworkId', 'controlId', 'title', 'serverInstanceName', 'databaseName', 'status', 'since'],
      ...['evaluatedThrough', 'reason'],
    );
    const one = (frameworkId: string, status: string) =>
      ({ ...control, frameworkId, status }) as unknown as ControlRow;
    const statuses = [
      'pass',
      'fail',
      'fail',
      'unknown',
      'unknown',
      'unknown',
      ...Array(4).fill('not_applicable'),
    ];
    const report = controlRows([one('z', 'fail'), ...statuses.map((status) => one('a', status))]);
    expect(cells(report)[0]).toEqual({ ...itself(report.columns), frameworkId: 'z', status: 'fail' });
    expect(report.sections.map(cells)).toEqual([
      [
        { frameworkId: 'a', pass: 1, fail: 2, unknown: 3, not_applicable: 4 },
        { frameworkId: 'z', pass: 0, fail: 1, unknown: 0, not_applicable: 0 },
      ],
    ]);
  });
});
