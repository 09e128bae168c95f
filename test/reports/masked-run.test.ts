import { type AnyField, toSnakeCase } from '../../src/event/fields';
import { LIMITS } from '../../src/limits';
import { findReport } from '../../src/modules/reports/declarations';
import { type MakeRequest, ReportMaker } from '../../src/modules/reports/maker';
import { LocalFileMaker } from '../../src/modules/reports/run-files';
import type { StoredAuditEvent } from '../../src/store/rows/audit-event-reader';
import { valuesOfRows } from '../../src/store/rows/event-values';
import { anEventInFull } from '../evidence/parts/log-copies';

const RUN = { runId: 'run-1', createdAt: '2026-05-04T08:00:00.000Z' };

/** An event as a row has it. */
const rowOf = (event: StoredAuditEvent) =>
  Object.fromEntries(Object.entries(event).map(([name, value]) => [toSnakeCase(name), value ?? '']));

/** A maker of runs of a tenant, which masks its statements while `masks.now` is true. */
function makerOf(
  masks: { now: boolean },
  batches: () => AsyncGenerator<StoredAuditEvent[]>,
  totalCount = 2,
  limits?: { readonly rows: number; readonly ms: number },
) {
  const done: string[] = [];
  const moments: number[] = [];
  const formats = new Set<string>();
  const store = {
    begin: async () => RUN,
    put: async (_: unknown, format: string) => void formats.add(format),
    finish: async () => void done.push('finished'),
    abandon: async () => void done.push('given up'),
  };
  const end = async () => {};
  const ask = {
    events: async () => ({ totalCount, batches: batches(), end }),
    values: async (_: unknown, fields: readonly AnyField[]) => ({
      totalCount,
      batches: valuesOf(fields),
      end,
    }),
    masks: async () => masks.now,
    sources: async () => [],
    logs: async () => [],
    removals: async () => [],
    workingHours: async () => [],
    sensitive: async (_: unknown, atMs: number) => {
      moments.push(atMs);
      return [
        { serverInstanceName: null, databaseName: 'databaseName 1', schemaName: null, objectName: null },
      ];
    },
  };
  async function* valuesOf(fields: readonly AnyField[]) {
    for await (const events of batches()) yield valuesOfRows(events.map(rowOf), fields);
  }
  const nowMs = () => Date.parse(RUN.createdAt);
  const files = new LocalFileMaker();
  const maker = new ReportMaker(store as never, ask as never, {} as never, files, nowMs, limits);
  const makeOf = (reportId: string, values: object) =>
    maker.make({
      report: findReport(reportId),
      ...{ tenants: [7], holder: 'k1', createdBy: 'auditor', assertAllowed: async () => {} },
      values: { format: 'csv', timeZone: 'UTC', ...values },
    } as unknown as MakeRequest);
  const make = (format = 'csv') => makeOf('activity', { format, databaseName: 'Payroll' });
  const ofSensitive = (values: object = {}) => makeOf('sensitive-access', values);
  return { make, ofSensitive, done, formats, moments };
}

describe('a run of a report, whose files others read later', () => {
  const event = (n: number) => [{ ...anEventInFull(n), statement: "SELECT 'secret'" }];

  it.each([
    ['between its rows', 1],
    ['while its files are ended', 2],
  ])('is given up where its tenant begins to mask its statements %s', async (_, after) => {
    const masks = { now: false };
    const { make, done } = makerOf(masks, async function* () {
      for (const n of [1, 2]) {
        yield event(n);
        if (n === after) masks.now = true;
      }
    });
    await expect(make()).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('mask'),
    });
    expect(done).toEqual(['given up']);
  });

  it.each([true, false])('is made where that stays as it is: %s', async (now) => {
    const { make, done } = makerOf({ now }, async function* () {
      yield event(1);
    });
    expect(await make()).toBe(RUN.runId);
    expect(done).toEqual(['finished']);
  });
});

it('a run has a PDF unasked up to ten thousand rows, and beyond if somebody asks for one', async () => {
  const formatsOf = async (rows: number, format: string) => {
    const { make, formats } = makerOf(
      { now: false },
      async function* () {
        yield [anEventInFull(1)];
      },
      rows,
    );
    await make(format);
    return [...formats].sort();
  };
  const all = ['csv', 'html', 'json', 'pdf'];
  const most = LIMITS.reportPdfUnaskedRowsMax;
  expect(await formatsOf(most, 'csv')).toEqual(all);
  expect(await formatsOf(most + 1, 'csv')).toEqual(['csv', 'html', 'json']);
  expect(await formatsOf(most + 1, 'pdf')).toEqual(all);
});

describe('a run on what is declared sensitive', () => {
  const events = (many: readonly number[]) =>
    async function* () {
      for (const n of many) yield [anEventInFull(n)];
    };

  it('is on what is declared at the end of its period', async () => {
    const { ofSensitive, moments } = makerOf({ now: false }, events([1]));
    const endTime = '2026-02-03T00:00:00.0000000Z';
    await ofSensitive({ endTime });
    await ofSensitive();
    expect(moments).toEqual([Date.parse(endTime), Date.parse(RUN.createdAt)]);
  });

  it('has as many rows as it may have, of however many events, and is given up beyond', async () => {
    const limits = { rows: 2, ms: 60_000 };
    const most = makerOf({ now: false }, events([1, 2, 3, 1]), 4, limits);
    expect(await most.ofSensitive()).toBe(RUN.runId);
    const more = makerOf({ now: false }, events([1, 1, 1]), 3, limits);
    await expect(more.ofSensitive()).rejects.toMatchObject({ code: 'invalid_parameter' });
    expect([most.done, more.done]).toEqual([['finished'], ['given up']]);
  });
});
