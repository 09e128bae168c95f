import fc from 'fast-check';
import { pino } from 'pino';
import type { Database } from '../../src/database/clients';
import { formatTicks, parseTicks, TICKS_PER_MS } from '../../src/event/event-time';
import { SORTS } from '../../src/event/parameters';
import type { AuditEventFilter, AuditEventQuery } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import { PostgresExportSource } from '../../src/modules/export/export.source';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { Indexer } from '../../src/modules/search/indexer';
import { applyRetention } from '../../src/modules/tenants/retention/apply-retention';
import { PostgresRetentionStore } from '../../src/modules/tenants/retention/retention.store';
import type { CheckedEvent, CheckedRecord } from '../../src/store/bytes/checked-event';
import { InstanceFiller } from '../../src/store/counts/fill-instances';
import { Folder } from '../../src/store/counts/fold';
import { Partitions } from '../../src/store/rows/partitions';
import { tenantSet } from '../../src/tenant-set';
import { AT_ONCE } from '../support/at-once';
import { AN_ATTEMPT } from '../support/attempt';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { inLayout, layoutsOf } from '../support/doors';
import { ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { NO_FILTER, usualFacets } from '../support/filters';
import { Inserter } from '../support/inserter';
import { olderDropWeek, olderFold, olderService } from '../support/older-release';
import { clearEvents, newTenant } from '../support/scenario';
import { casesOf } from '../support/share';
import { writerOn } from '../support/store';
import { useDatabase } from '../support/use-database';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Monday. The nine days from it contain borders of a week, of days and of hours. */
const START_MS = Date.parse('2026-01-05T00:00:00Z');
const DAYS = 9;
const LOG = pino({ level: 'silent' });

const event = fc.record({
  atMs: fc.oneof(
    fc.integer({ min: 0, max: DAYS * DAY_MS - 1 }),
    fc.integer({ min: 0, max: DAYS * 24 - 1 }).map((hour) => hour * HOUR_MS),
  ),
  actionId: fc.constantFrom('SL', 'UP'),
  databaseName: fc.constantFrom('a', 'b', null),
  serverPrincipalName: fc.constantFrom('x', 'y'),
  serverInstanceName: fc.constantFrom('SQL1', 'SQL1', 'SQL1', 'SQL2\\PAY', null),
  succeeded: fc.boolean(),
});
const tenant = fc.nat(1);
/** Steps of both releases on the same tables, in any order. */
const step = fc.oneof(
  ...(
    [
      [
        4,
        {
          kind: fc.constant('ingest' as const),
          tenant,
          events: fc.array(event, { minLength: 1, maxLength: 25 }),
        },
      ],
      [
        4,
        {
          kind: fc.constant('older ingest' as const),
          tenant,
          events: fc.array(event, { minLength: 1, maxLength: 25 }),
        },
      ],
      [2, { kind: fc.constant('fold' as const) }],
      [2, { kind: fc.constant('older fold' as const), tenant }],
      [2, { kind: fc.constant('fill' as const) }],
      [1, { kind: fc.constant('index' as const) }],
      [1, { kind: fc.constant('retention' as const), tenant, days: fc.integer({ min: 1, max: 8 }) }],
      [1, { kind: fc.constant('older drop' as const), tenant }],
    ] as const
  ).map(([weight, shape]) => ({
    weight,
    arbitrary: fc.record(shape as Record<string, fc.Arbitrary<unknown>>) as unknown as fc.Arbitrary<Step>,
  })),
);
type Sample = typeof event extends fc.Arbitrary<infer T> ? T : never;
type Step =
  | { kind: 'ingest' | 'older ingest'; tenant: number; events: Sample[] }
  | { kind: 'fold' | 'fill' | 'index' }
  | { kind: 'older fold'; tenant: number }
  | { kind: 'older drop'; tenant: number }
  | { kind: 'retention'; tenant: number; days: number };

const ticks = fc
  .oneof(
    fc.integer({ min: -24, max: DAYS * 24 }),
    fc.integer({ min: -1, max: DAYS }).map((day) => day * 24),
  )
  .chain((hour) => fc.constantFrom(0n, 1n, 12_345n).map((rest) => ticksOf(hour * HOUR_MS) + rest));
const filter: fc.Arbitrary<AuditEventFilter> = fc
  .record({
    from: fc.option(ticks),
    to: fc.option(ticks),
    serverInstanceName: fc.constantFrom('SQL1', 'SQL2\\PAY', 'SQL2\\PAY', 'sql1', null),
    actionId: fc.option(fc.constantFrom('SL', 'UP', 'no'), { freq: 1 }),
    databaseName: fc.option(fc.constantFrom('a', 'b'), { freq: 1 }),
    principalName: fc.option(fc.constantFrom('x', 'y'), { freq: 1 }),
    succeeded: fc.option(fc.boolean(), { freq: 1 }),
  })
  .map((given) => ({ ...NO_FILTER, ...given }));
const query: fc.Arbitrary<AuditEventQuery> = fc.record({
  filter,
  sort: fc.constantFrom(...Object.values(SORTS)),
  descending: fc.boolean(),
  page: fc.integer({ min: 1, max: 6 }),
  pageSize: fc.constantFrom(2, 7, 100),
});
const scope = fc.constantFrom<readonly number[]>([0], [1], [0, 1]);
const scenario = fc.record({
  steps: fc.array(fc.record({ step, asked: fc.array(fc.record({ query, scope }), { maxLength: 2 }) }), {
    minLength: 3,
    maxLength: 12,
  }),
  last: fc.array(fc.record({ query, scope }), { minLength: 3, maxLength: 5 }),
});

function ticksOf(ms: number): bigint {
  return BigInt(START_MS + ms) * TICKS_PER_MS;
}
type Stored = CheckedRecord & { readonly recordId: string; readonly tenant: number };

describe.each(ENGINES)('counts by instance on %s', (engine) => {
  const at = useDatabase(engine);

  it('equal a brute-force count at any moment, while the previous release works on the same tables', async () => {
    const { db } = at;
    const partitions = new Partitions(db.migrator);
    const writer = writerOn(db, partitions);
    const older = new Inserter(olderService(db.service), partitions, TEST_CHECKPOINT_KEY);
    const doors = layoutsOf(engine).map((isDistributed) => inLayout(isDistributed, db.service));
    const readers = doors.map((door) => new PostgresAuditEventReader(door));
    const explorers = doors.map((door) => new PostgresAuditEventExplorer(door));
    /** The explorers take turns, so that each is asked in many scenarios. */
    const nextExplorer = () => {
      explorers.push(...explorers.splice(0, 1));
      return explorers.slice(-1);
    };
    const cautious = new PostgresAuditEventExplorer(db.service, 0);
    const exported = new PostgresExportSource(db.service);
    const [folder, indexer] = [new Folder(db.migrator), new Indexer(db.owner, AT_ONCE)];
    const retention = new PostgresRetentionStore(db.service, db.migrator);
    const fill = async () => {
      const filler = new InstanceFiller(db.migrator, LOG);
      while ((await filler.run()) > 0);
    };
    await fc.assert(
      fc.asyncProperty(scenario, async ({ steps, last }) => {
        await clearEvents(db);
        const ids = [await newTenant(db), await newTenant(db)] as const;
        const idOf = (index: number) => ids[index] ?? 0;
        let stored: Stored[] = [];
        const ask = async (q: AuditEventQuery, of: readonly number[]) => {
          const tenants = tenantSet(of.map(idOf));
          const found = stored.filter((e) => of.includes(e.tenant) && matches(e, q.filter));
          for (const reader of readers) {
            const page = await reader.page(tenants, q);
            expect([page.totalCount, page.items.map((item) => item.recordId)]).toEqual([
              found.length,
              pageOf(found, q),
            ]);
          }
          for (const explorer of nextExplorer()) {
            const { buckets } = await explorer.histogram(tenants, q.filter, 60);
            expect(tally(buckets)).toEqual(outcomesOf(found));
            const { totalCount, facets } = await explorer.facets(tenants, q.filter, usualFacets(10));
            expect(totalCount).toBe(found.length);
            const facet = facets.find(({ field }) => field === 'serverInstanceName');
            expect(byValue(facet?.values ?? [])).toEqual(countsOf(found));
          }
          const careful = (await cautious.facets(tenants, q.filter, usualFacets(10))).facets[3];
          if (careful?.values) expect(byValue(careful.values)).toEqual(countsOf(found));
          expect((await exported.plan(tenants, q.filter)).totalCount).toBe(found.length);
        };
        for (const { step: s, asked } of steps) {
          if (s.kind === 'ingest' || s.kind === 'older ingest') {
            const events = s.events.map((e) => checked(idOf(s.tenant), e));
            const by = s.kind === 'ingest' ? writer : older;
            expect(await by.insert(idOf(s.tenant), events)).toBe(events.length);
            stored.push(...events.map(({ recordId, record }) => ({ ...record, recordId, tenant: s.tenant })));
          } else if (s.kind === 'fold') await folder.run();
          else if (s.kind === 'fill') await fill();
          else if (s.kind === 'index') await indexer.run();
          else if (s.kind === 'older fold') await olderFold(db.migrator, idOf(s.tenant));
          else if (s.kind === 'older drop') {
            await olderDropWeek(db.migrator, idOf(s.tenant), START_MS / HOUR_MS);
            stored = stored.filter((e) => e.tenant !== s.tenant || timeOf(e) >= ticksOf(7 * DAY_MS));
          } else if (s.kind === 'retention') {
            await retention.setDays(idOf(s.tenant), s.days, AN_ATTEMPT);
            const nowMs = START_MS + DAYS * DAY_MS + 5 * HOUR_MS + 1;
            await applyRetention({ store: retention, nowMs: () => nowMs, log: LOG });
            await retention.setDays(idOf(s.tenant), null, AN_ATTEMPT);
            const border = BigInt(nowMs - s.days * DAY_MS) * TICKS_PER_MS;
            stored = stored.filter((e) => e.tenant !== s.tenant || timeOf(e) >= border);
          }
          for (const { query: q, scope: of } of asked) await ask(q, of);
        }
        for (const { query: q, scope: of } of last) await ask(q, of);
        await folder.run();
        await fill();
        for (const { query: q, scope: of } of last) await ask(q, of);
        expect(await left(db)).toEqual([]);
      }),
      { numRuns: casesOf(__filename), endOnFailure: true },
    );
  }, 600_000);
});

/** The counts by instance that differ from a count of the events, with that count. */
const left = (db: Database) =>
  db.migrator.models.$queryRaw<unknown[]>`
    SELECT * FROM (
      SELECT e.tenant_id, i.dim_id, count(*)::int AS n, (count(*) FILTER (WHERE e.succeeded))::int AS ok,
        ((('x' || translate(left(e.record_id::text, 13), '-', ''))::bit(48)::bigint / 86400000))::int AS day
      FROM audit_event e JOIN audit_dim i ON i.tenant_id = e.tenant_id AND i.kind = 4 AND i.value = e.server_instance_name
      GROUP BY e.tenant_id, i.dim_id, 5) e
    FULL JOIN (SELECT * FROM audit_count WHERE grain = 2 AND a < -1 AND (-a) % 65536 = 0 AND d = 0 AND p = 0 AND n <> 0) c
      ON c.tenant_id = e.tenant_id AND c.a = -(e.dim_id * 65536) AND c.bucket = e.day
    WHERE c.n IS DISTINCT FROM e.n OR c.ok IS DISTINCT FROM e.ok`;

const matches = (e: Stored, f: AuditEventFilter): boolean =>
  (f.from === null || timeOf(e) >= f.from) &&
  (f.to === null || timeOf(e) < f.to) &&
  (f.serverInstanceName === null || e.serverInstanceName === f.serverInstanceName) &&
  (f.actionId === null || e.actionId === f.actionId) &&
  (f.databaseName === null || e.databaseName === f.databaseName) &&
  (f.principalName === null || e.serverPrincipalName === f.principalName) &&
  (f.succeeded === null || e.succeeded === f.succeeded);

const timeOf = (e: Stored): bigint => parseTicks(e.eventTime) ?? 0n;

function pageOf(found: readonly Stored[], { sort, descending, page, pageSize }: AuditEventQuery): string[] {
  const key = (e: Stored) => [sort === 'recordId' ? '' : String(e[sort] ?? ''), e.recordId] as const;
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const sorted = found.toSorted((x, y) => {
    const [a, b] = [key(x), key(y)];
    return (compare(a[0], b[0]) || compare(a[1], b[1])) * (descending ? -1 : 1);
  });
  return sorted.slice((page - 1) * pageSize, page * pageSize).map((e) => e.recordId);
}

interface Outcomes {
  readonly succeeded: number;
  readonly failed: number;
}
const tally = (all: readonly Outcomes[]): Outcomes => ({
  succeeded: all.reduce((sum, { succeeded }) => sum + succeeded, 0),
  failed: all.reduce((sum, { failed }) => sum + failed, 0),
});
function outcomesOf(events: readonly Stored[]): Outcomes {
  const succeeded = events.filter((e) => e.succeeded).length;
  return { succeeded, failed: events.length - succeeded };
}
const byValue = (values: readonly (Outcomes & { readonly value: string | null })[]) =>
  Object.fromEntries(values.map(({ value, succeeded, failed }) => [String(value), { succeeded, failed }]));
const countsOf = (events: readonly Stored[]) =>
  Object.fromEntries(
    [...new Set(events.map((e) => e.serverInstanceName ?? null))].map((name) => [
      String(name),
      outcomesOf(events.filter((e) => (e.serverInstanceName ?? null) === name)),
    ]),
  );

function checked(tenantId: number, { atMs, ...rest }: { atMs: number } & object): CheckedEvent {
  const eventTime = formatTicks(ticksOf(atMs));
  const result = checkEvent(tenantId, anEvent({ ...rest, eventTime }), Date.now());
  if ('rejection' in result) throw new Error(result.rejection.message);
  return result.event;
}
