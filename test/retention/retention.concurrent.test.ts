import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { DomainError } from '../../src/errors';
import { formatTicks, TICKS_PER_MS } from '../../src/event/event-time';
import { HoldStore } from '../../src/modules/tenants/holds/hold.store';
import type { CheckedEvent } from '../../src/store/bytes/checked-event';
import { AN_ATTEMPT } from '../support/attempt';
import { describeOnPostgres } from '../support/engines';
import { waitersOn } from '../support/lock-waiters';
import { RetentionTrial } from '../support/retention';
import { Store } from '../support/store';
import { until } from '../support/until';
import { useLimits } from '../support/use-limits';

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-01-05T00:00:00Z');
const ROUNDS = 25;
const FIRST_RECORD = '00000000-0000-0000-0000-000000000000';

/** Counts events in three ways in one statement, so at one moment: events, counts of hours, counts of days. */
const ONE_MOMENT = `
SELECT (SELECT count(*) FROM audit_event e WHERE e.tenant_id = $1::int)::int AS events,
  ((SELECT coalesce(sum(n), 0) FROM audit_count c WHERE c.tenant_id = $1::int AND grain = 1 AND a = 0 AND d = 0 AND p = 0)
    + (SELECT coalesce(sum(n), 0) FROM audit_delta x WHERE x.tenant_id = $1::int))::int AS hours,
  ((SELECT coalesce(sum(n), 0) FROM audit_count c WHERE c.tenant_id = $1::int AND grain = 2 AND a = 0 AND d = 0 AND p = 0)
    + (SELECT coalesce(sum(n), 0) FROM audit_delta x WHERE x.tenant_id = $1::int))::int AS days,
  (SELECT count(*) FROM audit_delta x WHERE x.tenant_id = $1::int AND n <= 0)::int AS negative`;

/** Sends events as an agent does: a batch that is refused for now is sent again. */
async function sent(store: Store, events: readonly CheckedEvent[]): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.insert(events);
    } catch (error) {
      if ((error as DomainError).code !== 'service_unavailable' || attempt === 50) throw error;
    }
  }
}

describeOnPostgres('retention beside other instances', () => {
  let first: Store;
  let second: Store;
  beforeAll(async () => {
    first = await Store.open('postgresql');
    second = await Store.on(first.place, first.tenantId);
  });
  afterAll(async () => {
    await second.disconnect();
    await first.close();
  });

  it('is exact at every moment beside writers of late events, folders, indexers and a second run', async () => {
    const trials = [new RetentionTrial(first), new RetentionTrial(second)];
    await trials[0]?.keep(10);
    let acknowledged = 0;
    let busy = true;
    let nowMs = START_MS + 10 * DAY_MS;
    const write = async (store: Store) => {
      for (let round = 0; round < ROUNDS; round++) {
        const changes = Array.from({ length: 40 }, (_, i) => ({
          // Over four weeks. The border of the retention moves through the middle of them.
          eventTime: formatTicks(BigInt(START_MS + ((i * 7 + round) % 28) * DAY_MS + i) * TICKS_PER_MS),
          databaseName: `db${i % 3}`,
        }));
        const stored = await sent(store, store.checked(changes));
        acknowledged += stored;
        nowMs += DAY_MS / 3;
      }
    };
    const whileBusy = async (work: () => Promise<unknown>) => {
      while (busy) await work();
    };
    const seen: unknown[] = [];
    const helpers = [
      ...trials.map((trial) => whileBusy(() => trial.folder.run())),
      whileBusy(() => (trials[0] as RetentionTrial).indexer.run()),
      ...trials.map((trial) =>
        whileBusy(async () => {
          await trial.runAt(new Date(nowMs).toISOString());
        }),
      ),
      whileBusy(async () => {
        seen.push(...(await first.query(ONE_MOMENT, first.tenantId)));
      }),
    ];
    const writing = Promise.all([write(first), write(second), write(first)]).finally(() => {
      busy = false;
    });
    const outcomes = await Promise.allSettled([writing, ...helpers]);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    seen.push(...(await first.query(ONE_MOMENT, first.tenantId)));

    const wrong = (seen as { events: number; hours: number; days: number; negative: number }[]).filter(
      ({ events, hours, days, negative }) => events !== hours || events !== days || negative !== 0,
    );
    expect(wrong).toEqual([]);
    expect(seen.length).toBeGreaterThan(5);
    expect((seen.at(-1) as { events: number }).events).toBeGreaterThan(0);
    await trials[0]?.runAt(new Date(START_MS + 60 * DAY_MS).toISOString());
    const runs = await (trials[0] as RetentionTrial).retention.runs(first.tenantId, 1000);
    const removed = runs.reduce((sum, run) => sum + run.events, 0);
    expect(acknowledged).toBe(3 * ROUNDS * 40);
    expect([removed, await first.count()]).toEqual([acknowledged, 0]);
    expect(runs.some(({ partitions }) => partitions.length > 0)).toBe(true);
    expect(trials.flatMap(({ logLines }) => logLines)).toEqual([]);
  });

  it.each([
    ['folds', 702_198],
    ['indexes', 702_199],
  ])('removes nothing of a tenant while another instance %s its events', async (_, lock) => {
    const store = await first.forNewTenant();
    const trial = new RetentionTrial(store);
    const expired = { eventTime: '2025-04-08T08:00:00.0000000Z' };
    await store.insert(store.checked([expired]));
    const tenant = { tenantId: store.tenantId, retentionDays: 10 };
    await trial.keep(tenant.retentionDays);
    const instance = new Client({ connectionString: first.place.databaseUrl ?? '' });
    await instance.connect();
    await instance.query('SELECT pg_advisory_lock($1, $2)', [lock, tenant.tenantId]);
    const run = { runId: randomUUID(), startedAt: new Date(), now: () => new Date() };
    const range = { from: FIRST_RECORD, beforeMs: Date.parse('2025-05-01T00:00:00Z') };
    const step = trial.retention.removeStep(tenant, range, run);
    await waitersOn(instance, 1);
    expect(await trial.total()).toBe(1);
    await instance.end();
    expect([await step, await trial.total()]).toEqual([{ removed: 1, next: null }, 0]);
  });

  describe('beside somebody who makes a hold', () => {
    useLimits({ holdWaitMs: 150 });
    const HOLD = `INSERT INTO legal_hold (tenant_id, hold_id, filter, reason, created_by, created_at)
      VALUES ($1, gen_random_uuid(), '', 'case 7', 'legal', now())`;
    const LOCK = 702_202;
    const aClient = async () => {
      const client = new Client({ connectionString: first.place.databaseUrl ?? '' });
      await client.connect();
      await client.query('BEGIN');
      return client;
    };

    it.each([
      ['steps', '2025-04-08', '2025-05-20T00:00:00Z', (tenantId: number) => tenantId],
      ['the drop of a week', '2025-03-11', '2025-08-01T00:00:00Z', () => 0],
    ])('a run waits in %s, and keeps what is held then', async (_, day, time, lock) => {
      const trial = new RetentionTrial(await first.forNewTenant());
      const { tenantId } = trial.store;
      await trial.keep(40);
      await trial.store.insert(trial.store.checked([{ eventTime: `${day}T08:00:00.0000000Z` }]));
      const legal = await aClient();
      await legal.query('SELECT pg_advisory_xact_lock_shared($1::int, $2::int)', [LOCK, lock(tenantId)]);
      const run = trial.runAt(time);
      await waitersOn(legal, 1);
      await legal.query(HOLD, [tenantId]);
      await legal.query('COMMIT');
      await legal.end();
      await run;
      expect(await trial.total()).toBe(1);
    });

    it('refuses a hold that cannot wait for a removal, and holds nothing then', async () => {
      const store = await first.forNewTenant();
      const { tenantId } = store;
      const holds = new HoldStore(store.database.service);
      const spec = { tenantId, filter: null, reason: 'case 7', until: null };
      for (const lock of [tenantId, 0]) {
        const removing = await aClient();
        await removing.query('SELECT pg_advisory_xact_lock($1::int, $2::int)', [LOCK, lock]);
        await expect(holds.create(spec, 'legal', AN_ATTEMPT)).rejects.toMatchObject({
          code: 'service_unavailable',
          message: expect.stringContaining('Nothing was held: try again.'),
        });
        await removing.end();
      }
      expect(await holds.list(tenantId, 10)).toEqual([]);
      expect(await holds.create(spec, 'legal', AN_ATTEMPT)).toMatchObject({ tenantId, filter: null });
    });
  });

  it('keeps a week in which another tenant stores an event while the run waits to drop the week', async () => {
    const other = await first.forNewTenant();
    const trial = new RetentionTrial(first);
    const at = (eventTime: string) => [{ eventTime: `${eventTime}.0000000Z` }];
    await trial.keep(10);
    await first.insert(first.checked(at('2025-01-07T08:00:00')));
    await trial.folder.run();
    const reader = new Client({ connectionString: first.place.databaseUrl ?? '' });
    await reader.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT count(*) FROM audit_event');
    // The run has removed its counts in its transaction, and waits for the reader without a lock on the events.
    const run = trial.runAt('2025-03-01T00:00:00Z');
    await until(
      () => waiting(reader),
      (count) => count > 0,
    );
    expect(await sent(other, other.checked(at('2025-01-08T08:00:00')))).toBe(1);
    await reader.query('COMMIT');
    await reader.end();
    await run;
    expect(await trial.weeks()).toContain('audit_event_20250106');
    expect(await new RetentionTrial(other).total()).toBe(1);
    // The expired event of that week was removed in a step instead.
    const runs = await trial.retention.runs(first.tenantId, 1000);
    const ours = runs.filter(({ startedAt }) => startedAt.toISOString().startsWith('2025-03-01'));
    expect(ours.map(({ events, partitions }) => [events, partitions])).toEqual([[1, []]]);
  });

  it.each([
    ['whose events are kept for longer', 'retention_days = 400', '2024-10-07'],
    ['that is disabled', 'disabled_at = now()', '2024-10-21'],
  ])('keeps a week of a tenant %s while the run waits to drop the week', async (_, change, monday) => {
    const store = await first.forNewTenant();
    const trial = new RetentionTrial(store);
    await trial.keep(10);
    await store.insert(store.checked([{ eventTime: `${monday}T08:00:00.0000000Z` }]));
    await trial.folder.run();
    const reader = new Client({ connectionString: first.place.databaseUrl ?? '' });
    await reader.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT count(*) FROM audit_event');
    const run = trial.runAt('2025-03-01T00:00:00Z');
    await until(
      () => waiting(reader),
      (count) => count > 0,
    );
    await store.query(`UPDATE tenant SET ${change} WHERE tenant_id = $1`, store.tenantId);
    await reader.query('COMMIT');
    await reader.end();
    await run;
    expect([await trial.weeks(), await trial.total(), await store.count()]).toEqual([
      expect.arrayContaining([`audit_event_${monday.replaceAll('-', '')}`]),
      1,
      1,
    ]);
  });
});

/** @returns how many sessions wait for the lock that dropping a partition needs */
async function waiting(client: Client): Promise<number> {
  const { rows } = await client.query(
    `SELECT count(*)::int AS n FROM pg_locks
     WHERE relation = 'audit_event'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`,
  );
  return rows[0].n;
}
