import { mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseTicks } from '../../src/event/event-time';
import { eventTimeOf, msOfRecordId, recordIdOf } from '../../src/event/record-id';
import { Zone } from '../../src/event/zone';
import {
  type EventReport,
  findReport,
  readReports,
  shippedReports,
} from '../../src/modules/reports/declarations';
import type { Chart, Table } from '../../src/modules/reports/document';
import { fieldsOf, fieldValue, Tally } from '../../src/modules/reports/tally';
import type { StoredAuditEvent } from '../../src/store/rows/audit-event-reader';

const FROM = Date.parse('2026-03-28T00:00:00Z');
const DAYS = 3;
const pick = <T>(from: readonly T[], at: number) => from[at % from.length] as T;

/** Made events, each with other values, over the change of the clocks. */
const EVENTS: readonly StoredAuditEvent[] = Array.from({ length: 700 }, (_, i) => {
  const ms = FROM + ((i * 7_919_003) % (DAYS * 86_400_000));
  const recordId = recordIdOf(7, parseTicks(new Date(ms).toISOString()) ?? 0n, {
    fileGuid: '0f000000-0000-4000-8000-000000000000',
    blockOffset: i,
    index: 0,
  });
  return {
    recordId,
    tenantId: '7',
    eventTime: eventTimeOf(recordId),
    actionId: pick(['SL', 'UP', 'LGIS', 'LGIF', 'EX '], i),
    succeeded: i % 3 !== 0,
    serverInstanceName: pick(['PAY01', 'WEB01'], i),
    databaseName: pick(['Payroll', null, 'Shop'], i),
    schemaName: 'dbo',
    objectName: pick(['Employees', 'Orders', null], i * 5),
    serverPrincipalName: pick(['sa', 'CORP\\ana', '=cmd()', '管理员'], i),
    databasePrincipalName: 'dbo',
    applicationName: pick(['Web', 'SSMS'], i),
    hostName: null,
    clientIp: pick(['10.0.0.1', '10.0.0.2'], i),
    sourceType: 'DirectFile',
    statement: null,
    additional: i % 4 === 0 ? {} : { responseRows: i, affectedRows: String(i * 3), classType: 'U ' },
  };
});

const zone = new Zone('Europe/Berlin');
const PERIOD = { fromMs: FROM, toMs: FROM + DAYS * 86_400_000 };

describe('the sections of reports', () => {
  const reports = shippedReports().filter((one): one is EventReport => one.source === 'events');

  it.each(reports)('of $reportId equal a count by hand', (report) => {
    const fields = fieldsOf(report.sections);
    const tally = new Tally(report.sections, fields, zone, PERIOD);
    for (const event of EVENTS) tally.add(fields.map((field) => fieldValue(event, field)));
    for (const [i, section] of tally.sections().entries()) {
      const declared = report.sections[i] as EventReport['sections'][number];
      if ('by' in declared) checkGroups(declared, section as Table);
      else checkChart(declared, section as Chart);
    }
  });

  it('over more than a year have a bar for each month, also for one in which nothing happened', () => {
    const over = [{ title: 'Over time', over: 'time' }] as const;
    const fields = fieldsOf(over);
    // The first and the last month are each cut to a part of a day in the zone.
    const [fromMs, toMs] = [Date.parse('2025-01-31T22:30:00Z'), Date.parse('2026-03-31T22:30:00Z')];
    const tally = new Tally(over, fields, zone, { fromMs, toMs });
    for (const event of EVENTS) tally.add(fields.map((field) => fieldValue(event, field)));
    const [chart] = tally.sections() as [Chart];
    const counted = chart.bars.map(({ label, succeeded, failed }) => [label, succeeded + failed]);
    const months = (year: number, last: number) =>
      Array.from({ length: last }, (_, i) => `${year}-${String(i + 1).padStart(2, '0')}`);
    expect(counted).toEqual(
      [...months(2025, 12), ...months(2026, 4)].map((month) => [
        ...[
          month,
          EVENTS.filter(({ recordId }) => zone.stretchOf(msOfRecordId(recordId), 'month') === month).length,
        ],
      ]),
    );
  });

  it('are those of the catalogue, each in a file of its own', () => {
    expect(
      shippedReports()
        .map(({ reportId }) => reportId)
        .sort(),
    ).toEqual(
      [
        ...['log-ons', 'privileged-activity', 'permission-changes', 'accounts', 'schema-changes'],
        ...['sensitive-access', 'data-changes', 'refusals', 'configuration-changes', 'backups'],
        ...['activity', 'trail-health', 'controls'],
      ].sort(),
    );
    expect(findReport('nothing')).toBeNull();
  });

  it('are refused where a file names what is not there', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'reports-'));
    const refuse = async (text: string) => {
      await writeFile(path.join(folder, 'mine.yml'), text);
      return () => readReports(folder);
    };
    const mine = 'reportId: mine\nsource: events\ncolumns: [eventTime]\nsections: []\n';
    expect((await refuse(mine))()).toHaveLength(1);
    expect(await refuse(`${mine}filter: "actionId:("`)).toThrow(/mine.yml: the filter is not understood/);
    expect(await refuse(mine.replace('eventTime', 'nothing'))).toThrow('nothing is not a field');
    expect(await refuse(mine.replace('mine', 'other'))).toThrow('named after reportId');
    expect(await refuse(mine.replace('[]', '[{title: x, by: [actionId], sum: objectName}]'))).toThrow(
      'objectName is not a number',
    );
  });
});

function checkGroups(declared: Extract<EventReport['sections'][number], { by: unknown }>, table: Table) {
  const events = EVENTS.filter(
    ({ eventTime }) => declared.when === undefined || !isWorkTime(Date.parse(eventTime)),
  );
  const counted = new Map<string, number>();
  for (const event of events) {
    const key = JSON.stringify(declared.by.map((field) => fieldValue(event, field as never)));
    counted.set(key, (counted.get(key) ?? 0) + 1);
  }
  const width = declared.by.length;
  expect(new Map(table.rows.map((row) => [JSON.stringify(row.slice(0, width)), row[width]]))).toEqual(
    counted,
  );
  for (const row of table.rows) {
    const own = events.filter(
      (event) =>
        JSON.stringify(declared.by.map((field) => fieldValue(event, field as never))) ===
        JSON.stringify(row.slice(0, width)),
    );
    const failed = own.filter(({ succeeded }) => !succeeded).length;
    const times = own.map(({ eventTime }) => eventTime).sort();
    const sums = declared.sum
      ? [sumOf(own.map(({ additional }) => additional[declared.sum as string] as string | undefined))]
      : [];
    expect(row.slice(width)).toEqual([
      ...[own.length, own.length - failed, failed],
      ...sums,
      ...[times[0], times.at(-1)],
    ]);
  }
}

function sumOf(numbers: readonly (string | number | undefined)[]): string | null {
  const stated = numbers.filter((number) => number !== undefined);
  return stated.length === 0 ? null : String(stated.reduce((sum: number, n) => sum + Number(n), 0));
}

/** Summer time began on 29 March 2026 at 1:00 UTC. */
const localMs = (ms: number) => ms + (ms < Date.parse('2026-03-29T01:00:00Z') ? 1 : 2) * 3_600_000;
function isWorkTime(ms: number): boolean {
  const local = new Date(localMs(ms));
  const isWeekday = local.getUTCDay() >= 1 && local.getUTCDay() <= 5;
  return isWeekday && local.getUTCHours() >= 7 && local.getUTCHours() < 19;
}

function checkChart({ over }: { readonly over: 'time' | 'hour' }, { bars }: Chart) {
  const labelOf = (ms: number) => {
    const text = new Date(localMs(ms)).toISOString();
    return over === 'hour' ? text.slice(11, 13) : `${text.slice(0, 10)} ${text.slice(11, 13)}:00`;
  };
  const counted = new Map<string, { label: string; succeeded: number; failed: number }>();
  for (const { recordId, succeeded } of EVENTS) {
    const label = labelOf(Date.parse(eventTimeOf(recordId)));
    const bar = counted.get(label) ?? { label, succeeded: 0, failed: 0 };
    counted.set(label, bar);
    bar[succeeded ? 'succeeded' : 'failed']++;
  }
  const labels = bars.map(({ label }) => label);
  expect(labels).toEqual([...new Set(labels)].sort());
  // The hour that the clocks leave out on 29 March is not there.
  if (over === 'time') expect(labels).toHaveLength(DAYS * 24);
  for (const bar of bars)
    expect(bar).toEqual(counted.get(bar.label) ?? { label: bar.label, succeeded: 0, failed: 0 });
  expect(bars.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0)).toBe(EVENTS.length);
}
