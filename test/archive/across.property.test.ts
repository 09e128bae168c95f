import fc from 'fast-check';
import { pino } from 'pino';
import { FairShare, sharesOf } from '../../src/caller/rate-limit/fair-share';
import { FILTER_PARAMETERS, LIST_PARAMETERS, SUMMARY_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter, toAuditEventQuery, toSummaryFilter } from '../../src/event/query';
import { ticksOfRecordId } from '../../src/event/record-id';
import { Zone } from '../../src/event/zone';
import { LIMITS } from '../../src/limits';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import { PostgresExportSource } from '../../src/modules/export/export.source';
import { exporter, valuesExporter } from '../../src/modules/export/export-events';
import { PostgresExportLeases } from '../../src/modules/export/leases';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { HoldStore } from '../../src/modules/tenants/holds/hold.store';
import { applyRetention } from '../../src/modules/tenants/retention/apply-retention';
import { PostgresRetentionStore } from '../../src/modules/tenants/retention/retention.store';
import { PostgresArrivalReader } from '../../src/store/log/arrivals/stored-arrivals';
import { oneTenant, tenantSet } from '../../src/tenant-set';
import { exported, exportedValues } from '../support/all-values';
import { questions, type Sent, sentEvents, toQuery } from '../support/arbitraries';
import { AN_ATTEMPT } from '../support/attempt';
import { answerOf, type Question, type Stored, summaryOf, type WrittenFilter } from '../support/brute-force';
import { gridByHand, seriesByHand, weekHoursByHand } from '../support/brute-shapes';
import { ENGINES } from '../support/engines';
import { clearEvents } from '../support/scenario';
import { casesOf } from '../support/share';
import { Store } from '../support/store';
import { writtenFilters } from '../support/written-filters';
import { ArchiveTrial } from './archive-trial';

/** The weeks of the events that `sentEvents` makes. */
const WEEKS = ['2026-02-01T00:00:00Z', '2026-02-03T00:00:00Z'] as const;
const tenant = fc.constantFrom(0 as const, 1 as const);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      from: fc.nat(99),
      count: fc.integer({ min: 1, max: 30 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('seal' as const), tenant, week: fc.constantFrom(...WEEKS) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('restore' as const), tenant, week: fc.constantFrom(...WEEKS) }),
  },
);
/** Borders of weeks, hours and events. */
const CUTS = [
  ...['2026-02-01T23:59:59.999Z', '2026-02-02T00:00:00.000Z', '2026-02-02T00:00:00.001Z'],
  ...['2026-02-05T00:00:00.000Z', '2026-02-09T00:00:00.000Z', '2026-02-11T00:00:00.000Z'],
];
const DAYS = 30;
const retention = fc.record({
  kind: fc.constant('retain' as const),
  of: fc.constantFrom([0], [1], [0, 1]),
  before: fc.constantFrom(...CUTS),
  held: fc.option(writtenFilters, { freq: 1 }),
});
const limits = fc.record({ events: fc.integer({ min: 1, max: 6 }), bytes: fc.integer({ min: 0, max: 300 }) });

describe.each(ENGINES)('answers over rows and files on %s', (engine) => {
  let base: Store;
  let trial: ArchiveTrial;
  let sealed = 0;
  beforeAll(async () => {
    base = await Store.open(engine);
    trial = await ArchiveTrial.open(base);
  });
  afterAll(async () => {
    await trial.close();
    await base.close();
  });

  it('equal those of a filter in memory, whatever was sealed, restored, late or sent again', async () => {
    await fc.assert(
      fc.asyncProperty(
        sentEvents.filter((sent) => sent.length > 8),
        fc.array(fc.oneof({ weight: 9, arbitrary: step }, { weight: 2, arbitrary: retention }), {
          minLength: 3,
          maxLength: 10,
        }),
        fc.array(fc.tuple(questions, fc.boolean()), { minLength: 3, maxLength: 5 }),
        limits,
        async (sent, steps, asked, pageLimits) => {
          await clearEvents(base.database);
          const stores = [await base.forNewTenant(), await base.forNewTenant()] as const;
          const stored = new Map<Sent, Stored>();
          await send(stores, sent.slice(0, Math.ceil(sent.length / 2)), stored);
          for (const one of steps) {
            if (one.kind === 'send') {
              const from = Math.floor((one.from * sent.length) / 100);
              await send(stores, sent.slice(from, from + one.count), stored);
            } else if (one.kind === 'retain') await retain(base, stores, one, stored);
            else if (one.kind === 'settle') await trial.settle();
            else if (one.kind === 'restore') await trial.restore(one.week, stores[one.tenant].tenantId);
            else {
              await trial.settle();
              const { outcome } = await trial.seal(one.week, stores[one.tenant].tenantId);
              if (outcome === 'sealed') sealed++;
            }
          }
          const all = [...stored.values()];
          for (const [i, [question, both]] of asked.entries()) {
            const tenants = stores.slice(0, both ? 2 : 1).map(({ tenantId }) => tenantId);
            await compareLists(base, tenants, all, question);
            // Groups take longer, and their question is the same code for each filter.
            if (i === 0) await compareGroups(base, tenants, all, question);
            await compareExport(base, tenants, all, question, pageLimits);
          }
          await trial.settle();
          for (const store of stores) await compareLog(store, all, pageLimits);
        },
      ),
      { numRuns: casesOf(__filename), endOnFailure: true },
    );
    expect(sealed).toBeGreaterThan(0);
  }, 600_000);
});

async function send(stores: readonly [Store, Store], some: readonly Sent[], stored: Map<Sent, Stored>) {
  for (const [i, store] of stores.entries()) {
    const own = some.filter((it) => it.tenant === i);
    const checked = own.map(({ event }) => {
      const result = checkEvent(store.tenantId, event, Date.now());
      if ('rejection' in result) throw new Error(result.rejection.message);
      return result.event;
    });
    if (checked.length === 0) continue;
    const fresh = own.filter((it) => !stored.has(it));
    expect(await store.insert(checked)).toBe(fresh.length);
    for (const [n, it] of own.entries())
      stored.set(it, {
        tenantId: String(store.tenantId),
        recordId: checked[n]?.recordId ?? '',
        event: it.event,
      });
  }
}

async function retain(
  base: Store,
  stores: readonly [Store, Store],
  {
    of,
    before,
    held,
  }: { readonly of: readonly number[]; readonly before: string; readonly held: WrittenFilter | null },
  stored: Map<Sent, Stored>,
) {
  const { service, owner } = base.database;
  for (const [i, { tenantId }] of stores.entries())
    await base.query(
      'UPDATE tenant SET retention_days = $2::int WHERE tenant_id = $1::int',
      tenantId,
      of.includes(i) ? DAYS : null,
    );
  const nowMs = Date.parse(before) + DAYS * 86_400_000;
  const holds = new HoldStore(service);
  const made: Awaited<ReturnType<HoldStore['create']>>[] = [];
  for (const { tenantId } of held === null ? [] : stores) {
    const spec = { tenantId, filter: held?.text ?? null, reason: 'case 7', until: null };
    made.push(await holds.create(spec, 'test', { ...AN_ATTEMPT, at: new Date(nowMs - 1) }));
  }
  const log = pino({ level: 'silent' });
  await applyRetention({ store: new PostgresRetentionStore(service, owner), nowMs: () => nowMs, log });
  for (const [it, { event }] of stored)
    if (of.includes(it.tenant) && event.eventTime.slice(0, 23) < before.slice(0, 23) && !held?.holds(event))
      stored.delete(it);
  for (const hold of made)
    if (hold !== null && hold !== 'too many')
      await holds.end(hold.holdId, { reason: 'settled', by: 'test' }, AN_ATTEMPT);
}

async function compareLists(
  base: Store,
  ids: readonly number[],
  stored: readonly Stored[],
  question: Question,
) {
  const { service } = base.database;
  const tenants = tenantSet(ids);
  const [reader, explorer] = [new PostgresAuditEventReader(service), new PostgresAuditEventExplorer(service)];
  const query = toQuery(question);
  const list = await reader.page(tenants, toAuditEventQuery(parseParameters(LIST_PARAMETERS, query)));
  const { data, meta } = answerOf(stored, ids.map(String), question);
  expect({ query, total: list.totalCount, items: list.items }).toEqual({
    query,
    total: meta.totalCount,
    items: data,
  });
  const { startTime, endTime, filter } = query;
  const range = { ...(startTime && { startTime }), ...(endTime && { endTime }), ...(filter && { filter }) };
  const summary = await reader.summary(tenants, toSummaryFilter(parseParameters(SUMMARY_PARAMETERS, range)));
  expect({ range, summary }).toEqual({ range, summary: summaryOf(stored, ids.map(String), question) });

  const every = filterOf(question);
  const found = answerOf(stored, ids.map(String), { ...question, ...WHOLE }).data;
  for (const fields of [
    ['actionId', 'objectName', 'succeeded'],
    ['actionId', 'databaseName'],
  ] as const) {
    const facets = await explorer.facets(tenants, every, { fields, limit: 100, contains: null });
    expect(facets.totalCount).toBe(found.length);
    for (const { field, values } of facets.facets) {
      const counted = new Map<string, number>();
      for (const item of found) {
        const value = String(item[field as keyof typeof item] ?? '');
        counted.set(value, (counted.get(value) ?? 0) + 1);
      }
      const told = (values ?? []).map((one) => [one.value ?? '', one.succeeded + one.failed] as const);
      expect(new Map(told)).toEqual(counted);
    }
  }
  const { buckets } = await explorer.histogram(tenants, every, 50);
  const times = found.map((one) => ({ ...one, ticks: ticksOfRecordId(one.recordId) }));
  for (const { from, to, ...counts } of buckets) {
    const within = times.filter(({ ticks }) => ticks >= from && ticks < to);
    const succeeded = within.filter((one) => one.succeeded).length;
    expect({ query, from, ...counts }).toEqual({ query, from, succeeded, failed: within.length - succeeded });
  }
  expect(buckets.reduce((sum, one) => sum + one.succeeded + one.failed, 0)).toBe(found.length);
  for (const { recordId, tenantId } of found.slice(0, 2)) {
    const one = await reader.find(tenants, recordId);
    const event = stored.find((it) => it.recordId === recordId)?.event;
    expect(one).toMatchObject({ recordId, tenantId, statement: event?.statement });
  }
}

async function compareGroups(
  base: Store,
  ids: readonly number[],
  stored: readonly Stored[],
  question: Question,
) {
  const query = toQuery(question);
  const explorer = new PostgresAuditEventExplorer(base.database.service);
  const [tenants, every] = [tenantSet(ids), filterOf(question)];
  const found = answerOf(stored, ids.map(String), { ...question, ...WHOLE }).data;
  const groups = await explorer.groups(tenants, every, BY_THREE);
  const keys = found.map((item) => JSON.stringify(BY_THREE.fields.map((field) => String(item[field] ?? ''))));
  const listed = groups.groups.map(({ values, n }) => [JSON.stringify(values), n] as const);
  expect({ query, groups: new Map(listed) }).toEqual({
    query,
    groups: new Map(keys.map((key) => [key, keys.filter((other) => other === key).length])),
  });
  const overTime = await explorer.groupsOverTime(tenants, every, {
    ...BY_THREE,
    limit: 4,
    bucketsMax: 20,
    zone: null,
  });
  const byHand = seriesByHand(found, BY_THREE.fields, overTime.groups, overTime.buckets);
  expect({ query, series: overTime.series }).toEqual({ query, series: byHand });
  const grid = await explorer.groupGrid(tenants, every, {
    fields: BY_THREE.fields,
    sumOf: null,
    valuesMax: 2,
  });
  expect({ query, ...grid }).toEqual({ query, ...gridByHand(found, BY_THREE.fields, 2) });
  const week = await explorer.weekHours(tenants, every, new Zone('UTC'));
  expect({ query, hours: week.hours.map(({ busiestMs, ...numbers }) => numbers) }).toEqual({
    query,
    hours: weekHoursByHand(found, 0),
  });
}

const BY_THREE = {
  fields: ['serverPrincipalName', 'actionId', 'objectName'],
  before: null,
  sumOf: null,
  by: 'count',
  descending: true,
  limit: 1_000,
} as const;
const WHOLE = { page: 1, pageSize: 1_000, sortBy: undefined, sortDirection: 'asc' } as const;

function filterOf(question: Question) {
  const { page, pageSize, sortBy, sortDirection, ...query } = toQuery(question);
  return toAuditEventFilter(parseParameters(FILTER_PARAMETERS, query));
}

async function compareExport(
  base: Store,
  ids: readonly number[],
  stored: readonly Stored[],
  question: Question,
  pageLimits: { readonly events: number; readonly bytes: number },
) {
  const { service } = base.database;
  const source = new PostgresExportSource(service, { ...pageLimits, read: 3 });
  const shares = new FairShare(sharesOf(LIMITS.databaseConnections));
  const parts = [source, new PostgresExportLeases(service), shares] as const;
  const request = {
    tenants: tenantSet(ids),
    holder: 'test',
    filter: filterOf(question),
    cursor: null,
    assertAllowed: async () => {},
  };
  const found = await exported(exporter(...parts), request);
  const expected = answerOf(stored, ids.map(String), { ...question, ...WHOLE }).data.map(
    ({ recordId }) => recordId,
  );
  expect(found.totalCount).toBe(expected.length);
  expect(found.ids).toEqual(expected);
  expect(await exportedValues(valuesExporter(...parts), request)).toEqual(found.values);
}

/** Every event stands in the log once, and is read there as it was sent. */
async function compareLog(
  { database, tenantId }: Store,
  stored: readonly Stored[],
  { events, bytes }: { readonly events: number; readonly bytes: number },
) {
  for (const door of [database.service, database.owner]) {
    const reader = new PostgresArrivalReader(door);
    const found = new Map<string, string | null>();
    for (let from = 0; ; ) {
      const read = await reader.read(tenantId, from, { positions: 50, events, bytes });
      for (const { event } of read.items) {
        expect(found.has(event.recordId)).toBe(false);
        found.set(event.recordId, event.statement);
      }
      if (read.next === read.size) break;
      expect(read.next).toBeGreaterThan(from);
      from = read.next;
    }
    const own = stored.filter((it) => it.tenantId === String(tenantId));
    expect(found).toEqual(new Map(own.map(({ recordId, event }) => [recordId, event.statement || null])));
  }
  expect(oneTenant(tenantId)).toHaveLength(1);
}
