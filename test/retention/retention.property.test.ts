import fc from 'fast-check';
import { pino } from 'pino';
import { formatTicks, parseTicks, TICKS_PER_MS } from '../../src/event/event-time';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { Indexer } from '../../src/modules/search/indexer';
import { HoldStore } from '../../src/modules/tenants/holds/hold.store';
import { applyRetention } from '../../src/modules/tenants/retention/apply-retention';
import { PostgresRetentionStore } from '../../src/modules/tenants/retention/retention.store';
import type { CheckedEvent, CheckedRecord } from '../../src/store/bytes/checked-event';
import { Folder } from '../../src/store/counts/fold';
import { Partitions } from '../../src/store/rows/partitions';
import { tenantSet } from '../../src/tenant-set';
import { AT_ONCE } from '../support/at-once';
import { AN_ATTEMPT } from '../support/attempt';
import { ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { NO_FILTER } from '../support/filters';
import { clearEvents, newTenant } from '../support/scenario';
import { casesOf } from '../support/share';
import { writerOn } from '../support/store';
import { useDatabase } from '../support/use-database';

const DAY_MS = 86_400_000;
/** Four weeks with their borders. Few different values, so that many of them collide. */
const START_MS = Date.parse('2026-01-03T00:00:00Z');
const event = fc.record({
  atMs: fc.oneof(
    fc.integer({ min: 0, max: 28 * DAY_MS }),
    fc.integer({ min: 0, max: 28 }).map((day) => day * DAY_MS),
  ),
  actionId: fc.constantFrom('SL', 'UP'),
  databaseName: fc.constantFrom('a', 'b', null),
  serverPrincipalName: fc.constantFrom('x', 'y'),
  statement: fc.constantFrom('red', 'green', 'blue red'),
  succeeded: fc.boolean(),
});
/** Filters of holds, and which events they let through. */
const HELD: Readonly<Record<string, (e: CheckedRecord) => boolean>> = {
  '': () => true,
  'databaseName:a': (e) => e.databaseName === 'a',
  'NOT databaseName:*': (e) => e.databaseName === null,
  'red (actionId:UP OR succeeded:false)': (e) =>
    e.statement?.includes('red') === true && (e.actionId === 'UP' || !e.succeeded),
  'principalName~X statement:"blue"': (e) =>
    e.serverPrincipalName === 'x' && e.statement?.includes('blue') === true,
};
interface Hold {
  readonly holdId: string;
  readonly tenant: number;
  readonly filter: string;
  readonly untilMs: number | null;
}
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('ingest' as const),
      tenant: fc.nat(1),
      events: fc.array(event, { minLength: 1, maxLength: 30 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('keep' as const),
      tenant: fc.nat(1),
      days: fc.option(fc.integer({ min: 1, max: 30 })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('retention' as const),
      // Times from the first day to long after the last: nothing, a part, whole weeks or everything expires.
      nowMs: fc.integer({ min: 0, max: 65 * DAY_MS }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('hold' as const),
      tenant: fc.nat(1),
      filter: fc.constantFrom(...Object.keys(HELD)),
      untilMs: fc.option(fc.integer({ min: 0, max: 65 * DAY_MS })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), which: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fold' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('index' as const) }) },
);
const range = fc.record({
  from: fc.option(fc.integer({ min: -2, max: 30 }).map(ticksOfDay)),
  to: fc.option(fc.integer({ min: -2, max: 30 }).map((day) => ticksOfDay(day) + 12_345n)),
});

function ticksOfDay(day: number): bigint {
  return BigInt(START_MS + day * DAY_MS) * TICKS_PER_MS;
}

type Stored = CheckedRecord & { readonly recordId: string; readonly tenant: number };

describe.each(ENGINES)('retention on %s', (engine) => {
  const at = useDatabase(engine);

  it('keeps lists, counts, searches and summaries equal to the events that are left, whatever was folded, late or held', async () => {
    const { db } = at;
    const writer = writerOn(db, new Partitions(db.migrator));
    const reader = new PostgresAuditEventReader(db.service);
    const store = new PostgresRetentionStore(db.service, db.migrator);
    const holds = new HoldStore(db.service);
    const folder = new Folder(db.migrator);
    const indexer = new Indexer(db.owner, AT_ONCE);
    const log = pino({ level: 'silent' });
    const scenario = fc.record({
      steps: fc.array(step, { minLength: 3, maxLength: 12 }),
      ranges: fc.array(range, { minLength: 3, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ steps, ranges }) => {
        await db.service.models.tenant.updateMany({ data: { retentionDays: null } });
        await clearEvents(db);
        const tenants = [await newTenant(db), await newTenant(db)];
        const days: (number | null)[] = [null, null];
        let stored: Stored[] = [];
        let removed = 0;
        let held: Hold[] = [];
        const check = () => compare(reader, tenants, stored, ranges);
        for (const s of steps) {
          if (s.kind === 'fold') await folder.run();
          else if (s.kind === 'index') await indexer.run();
          else if (s.kind === 'hold') {
            const untilMs = s.untilMs === null ? null : START_MS + s.untilMs;
            const until = untilMs === null ? null : new Date(untilMs);
            const spec = {
              tenantId: tenants[s.tenant] ?? 0,
              filter: s.filter || null,
              reason: 'case 7',
              until,
            };
            const made = await holds.create(spec, 'test', { ...AN_ATTEMPT, at: new Date(START_MS) });
            if (made === null || made === 'too many') throw new Error('the hold was not made');
            held.push({ holdId: made.holdId, tenant: s.tenant, filter: s.filter, untilMs });
          } else if (s.kind === 'release') {
            const { holdId } = held[s.which % held.length] ?? {};
            if (holdId) await holds.end(holdId, { reason: 'settled', by: 'test' }, AN_ATTEMPT);
            held = held.filter((one) => one.holdId !== holdId);
          } else if (s.kind === 'keep') {
            days[s.tenant] = s.days;
            await store.setDays(tenants[s.tenant] ?? 0, s.days, AN_ATTEMPT);
          } else if (s.kind === 'ingest') {
            const events = s.events.map((e) => checked(tenants[s.tenant] ?? 0, e));
            expect(await writer.insert(tenants[s.tenant] ?? 0, events)).toBe(events.length);
            stored.push(...events.map(({ recordId, record }) => ({ ...record, recordId, tenant: s.tenant })));
          } else {
            const nowMs = START_MS + s.nowMs;
            await applyRetention({ store, nowMs: () => nowMs, log });
            const before = stored.length;
            stored = stored.filter((e) => {
              const kept = days[e.tenant] ?? null;
              const isHeld = held.some(
                ({ tenant, filter, untilMs }) =>
                  tenant === e.tenant && (untilMs === null || untilMs > nowMs) && HELD[filter]?.(e),
              );
              return isHeld || kept === null || timeOf(e) >= BigInt(nowMs - kept * DAY_MS) * TICKS_PER_MS;
            });
            removed += before - stored.length;
            await check();
          }
        }
        await check();
        await folder.run();
        await check();
        const rows = await db.migrator.models.auditEvent.findMany({ select: { recordId: true } });
        expect(rows.map((row) => row.recordId).sort()).toEqual(stored.map((e) => e.recordId).sort());
        const runs = await store.runs(null, 1000);
        expect(runs.reduce((sum, run) => sum + run.events, 0)).toBe(removed);
        expect(runs.every((run) => run.events > 0 && run.fromTime < run.toTime)).toBe(true);
        const left = await db.migrator.models.$queryRaw<
          { n: number }[]
        >`SELECT n FROM audit_count WHERE n <= 0 OR ok < 0`;
        expect(left).toEqual([]);
      }),
      { numRuns: casesOf(__filename) },
    );
  }, 600_000);
});

async function compare(
  reader: PostgresAuditEventReader,
  tenants: readonly number[],
  stored: readonly Stored[],
  ranges: readonly { from: bigint | null; to: bigint | null }[],
) {
  for (const [i, between] of ranges.entries()) {
    const scope = [[0], [1], [0, 1]][i % 3] ?? [0];
    const ids = tenantSet(scope.map((index) => tenants[index] ?? 0));
    const found = stored.filter(
      (e) =>
        scope.includes(e.tenant) &&
        (between.from === null || timeOf(e) >= between.from) &&
        (between.to === null || timeOf(e) < between.to),
    );
    const query = { sort: 'recordId', descending: true, page: 1, pageSize: 100 } as const;
    const all = await reader.page(ids, { ...query, filter: { ...NO_FILTER, ...between } });
    const newestFirst = found
      .map((e) => e.recordId)
      .sort()
      .reverse();
    expect([all.totalCount, all.items.map((e) => e.recordId)]).toEqual([
      found.length,
      newestFirst.slice(0, 100),
    ]);

    const ofA = await reader.page(ids, {
      ...query,
      filter: { ...NO_FILTER, ...between, databaseName: 'a', actionId: 'UP' },
    });
    expect(ofA.totalCount).toBe(found.filter((e) => e.databaseName === 'a' && e.actionId === 'UP').length);

    const search = [{ kind: 'word', text: 'red' } as const];
    const red = await reader.page(ids, { ...query, filter: { ...NO_FILTER, ...between, search } });
    expect(red.totalCount).toBe(found.filter((e) => e.statement?.includes('red')).length);

    const latest = newestFirst[0];
    expect(await reader.summary(ids, { ...NO_FILTER, ...between })).toEqual({
      totalCount: found.length,
      successfulCount: found.filter((e) => e.succeeded).length,
      failedCount: found.filter((e) => !e.succeeded).length,
      distinctDatabases: new Set(found.map((e) => e.databaseName).filter(Boolean)).size,
      distinctPrincipals: new Set(found.map((e) => e.serverPrincipalName)).size,
      latestEventTime: found.find((e) => e.recordId === latest)?.eventTime ?? null,
    });
  }
}

const timeOf = (e: Stored): bigint => parseTicks(e.eventTime) ?? 0n;

function checked(tenantId: number, { atMs, ...rest }: { atMs: number } & object): CheckedEvent {
  const eventTime = formatTicks(BigInt(START_MS + atMs) * TICKS_PER_MS);
  const result = checkEvent(tenantId, anEvent({ ...rest, eventTime }), Date.now());
  if ('rejection' in result) throw new Error(result.rejection.message);
  return result.event;
}
