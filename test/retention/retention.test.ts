import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { PostgresAccessLogStore } from '../../src/caller/access-log.store';
import { PostgresTenantStore } from '../../src/caller/tenant.store';
import { DAY_MS, parseTicks } from '../../src/event/event-time';
import { msOfRecordId, recordIdFloor } from '../../src/event/record-id';
import { LIMITS } from '../../src/limits';
import { accessLogModule } from '../../src/modules/access-log/module';
import { PostgresEvidenceStore } from '../../src/modules/evidence/evidence.store';
import { Removals } from '../../src/modules/evidence/verify/removals';
import { HoldStore } from '../../src/modules/tenants/holds/hold.store';
import { tenantsModule } from '../../src/modules/tenants/module';
import { applyRetention } from '../../src/modules/tenants/retention/apply-retention';
import type { RetentionStore } from '../../src/modules/tenants/retention/retention-store';
import { weekOfMs } from '../../src/store/rows/partitions';
import { tenantSet } from '../../src/tenant-set';
import { AN_ATTEMPT } from '../support/attempt';
import { ENGINES } from '../support/engines';
import { testEpoch } from '../support/epoch';
import { RetentionTrial } from '../support/retention';
import { Store } from '../support/store';

const at = (eventTime: string, change: object = {}) => ({ eventTime: `${eventTime}.0000000Z`, ...change });

describe.each(ENGINES)('retention on %s', (engine) => {
  let store: Store;
  let trial: RetentionTrial;
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  beforeEach(async () => {
    trial = new RetentionTrial(await store.renewed());
  });
  afterAll(() => store.close());
  const insert = (...changes: object[]) => trial.store.insert(trial.store.checked(changes));
  const runs = () => trial.retention.runs(trial.store.tenantId, 100);

  it('keeps everything while no tenant has a retention', async () => {
    await insert(at('1999-01-05T08:00:00'));
    await trial.runAt('2026-11-20T00:00:00Z');
    expect([await trial.total(), await trial.weeks(), await runs()]).toEqual([
      1,
      ['audit_event_19981130_year'],
      [],
    ]);
  });

  it('keeps an event until the last moment of its days, and not longer', async () => {
    await insert(at('2026-01-05T08:00:00'), at('2026-01-05T08:00:01'));
    await trial.keep(10);
    await trial.runAt('2026-01-15T08:00:00Z');
    expect(await trial.total()).toBe(2);
    await trial.runAt('2026-01-15T08:00:01Z');
    expect(await trial.total()).toBe(1);
  });

  it('removes nothing early at an instance whose clock is ahead of that of the database', async () => {
    const DAYS_AHEAD = 400;
    const { service, owner } = trial.store.database;
    const recent = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 19);
    await insert(at(recent), at(new Date(Date.now() - 20 * DAY_MS).toISOString().slice(0, 19)));
    await trial.keep(10);
    const entries = new PostgresAccessLogStore(trial.store.database);
    const parts = {
      service,
      owner,
      tenants: new PostgresTenantStore(service),
      epoch: testEpoch(),
      nowMs: () => Date.now() + DAYS_AHEAD * DAY_MS,
      log: pino({ level: 'silent' }),
    };
    const nothing = {} as never;
    const { signal } = new AbortController();
    const tenants = tenantsModule({ ...parts, authenticator: nothing, countEvents: nothing, signal });
    const log = accessLogModule({
      ...parts,
      accessLog: nothing,
      accessViews: nothing,
      fairShare: nothing,
      store: entries,
      days: () => 30,
    });
    const [before] = await trial.store.query<{ n: number }>('SELECT count(*)::int AS n FROM access_log');
    for (const { name, run } of [...(tenants.tasks ?? []), ...(log.tasks ?? [])])
      if (name.endsWith('retention')) await run();
    expect(await trial.total()).toBe(1);
    expect(await trial.store.query('SELECT count(*)::int AS n FROM access_log')).toEqual([before]);
    expect(before?.n).toBeGreaterThan(0);
  });

  it('keeps a week until its last moment has expired', async () => {
    await insert(at('2026-01-05T08:00:00'), at('2026-01-11T23:59:59'));
    await trial.keep(10);
    await trial.runAt('2026-01-21T23:59:59Z');
    expect([await trial.total(), await trial.weeks()]).toEqual([1, ['audit_event_20260105']]);
    await trial.runAt('2026-01-22T00:00:00Z');
    expect([await trial.total(), await trial.weeks()]).toEqual([0, []]);
  });

  it('removes nothing of a tenant that is disabled, nor the week in which its events are, until it is enabled', async () => {
    const { tenantId } = trial.store;
    await insert(at('2026-01-05T08:00:00'));
    await trial.keep(10);
    const other = new RetentionTrial(await trial.store.forNewTenant());
    await other.store.insert(other.store.checked([at('2026-01-05T09:00:00')]));
    await other.keep(11);
    const tenants = new PostgresTenantStore(trial.store.database.service);
    await tenants.setDisabled(
      tenantId,
      { at: new Date('2026-01-20T00:00:00Z'), reason: 'unpaid' },
      AN_ATTEMPT,
    );
    await trial.runAt('2026-01-23T00:00:00Z');
    expect([await trial.total(), await trial.weeks(), await runs()]).toEqual([
      1,
      ['audit_event_20260105'],
      [],
    ]);
    expect(await other.total()).toBe(0);
    await tenants.setDisabled(tenantId, null, AN_ATTEMPT);
    await trial.runAt('2026-01-23T00:00:00Z');
    expect([await trial.total(), await trial.weeks()]).toEqual([0, []]);
  });

  it('takes no step for a tenant that was disabled since the run began, whatever holds it has', async () => {
    const { tenantId, database } = trial.store;
    const time = '2026-01-05T08:00:00';
    await insert(at(time), at(time, { blockOffset: 1, additional: { clock: 'wrong' } }));
    await trial.keep(10);
    const beforeMs = Date.now() + 60_000;
    const run = { runId: randomUUID(), startedAt: new Date(), now: () => new Date() };
    const tenant = { tenantId, retentionDays: 10 };
    const steps = async () => [
      (await trial.retention.removeStep(tenant, { from: recordIdFloor(0n), beforeMs }, run)).removed,
      await trial.retention.removeMarkedStep(tenant, beforeMs, run),
      await trial.retention.removeSealedWeek(tenant, weekOfMs(Date.parse(`${time}Z`)), beforeMs, run),
    ];
    const tenants = new PostgresTenantStore(database.service);
    await tenants.setDisabled(tenantId, { at: new Date(), reason: 'unpaid' }, AN_ATTEMPT);
    expect(await steps()).toEqual([0, 0, 0]);
    const spec = { tenantId, filter: 'databaseName:other', reason: 'case 7', until: null };
    await new HoldStore(database.service).create(spec, 'legal', { ...AN_ATTEMPT, at: new Date(0) });
    expect(await steps()).toEqual([0, 0, 0]);
    expect(await trial.total()).toBe(2);
    await tenants.setDisabled(tenantId, null, AN_ATTEMPT);
    expect((await steps()).slice(0, 2)).toEqual([1, 1]);
  });

  it('drops a whole week when no tenant needs it, and records the removal', async () => {
    await insert(at('2026-01-05T08:15:00'), at('2026-01-11T23:59:59'), at('2026-01-12T00:00:00'));
    await trial.folder.run();
    await insert(at('2026-01-06T08:15:00'));
    await trial.keep(10);
    await trial.runAt('2026-01-22T00:00:00Z');
    expect(await trial.weeks()).toEqual(['audit_event_20260112']);
    expect(await trial.total()).toBe(1);
    expect(await runs()).toEqual([
      {
        tenantId: trial.store.tenantId,
        runId: expect.any(String),
        retentionDays: 10,
        events: 3,
        fromTime: new Date('2026-01-05T08:00:00Z'),
        toTime: new Date('2026-01-12T00:00:00Z'),
        partitions: ['audit_event_20260105'],
        startedAt: new Date('2026-01-22T00:00:00Z'),
        endedAt: new Date('2026-01-22T00:00:00Z'),
      },
    ]);
  });

  it('records nothing when a run removes nothing', async () => {
    await insert(at('2026-01-05T08:00:00'));
    await trial.keep(10);
    await trial.runAt('2026-01-08T00:00:00Z');
    expect(await runs()).toEqual([]);
  });

  it('lists runs newest first, of one tenant or of all, and no more than are asked for', async () => {
    const other = new RetentionTrial(await trial.store.forNewTenant());
    const [first, second] = ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'];
    for (const each of [trial, other]) {
      await each.store.insert(each.store.checked([at('2026-01-05T08:00:00')]));
      await each.keep(10);
    }
    await trial.runAt(first);
    await insert(at('2026-01-05T09:00:00'));
    await trial.runAt(second);
    const [own, its] = [trial.store.tenantId, other.store.tenantId];
    const listed = async (tenantId: number | null, limit = 100) =>
      (await trial.retention.runs(tenantId, limit)).map((run) => [run.tenantId, run.startedAt.toISOString()]);
    expect(await listed(null)).toEqual([
      [own, second],
      ...[own, its].sort((a, b) => a - b).map((tenantId) => [tenantId, first]),
    ]);
    expect(await listed(own)).toEqual([
      [own, second],
      [own, first],
    ]);
    expect(await listed(its)).toEqual([[its, first]]);
    expect(await listed(null, 1)).toEqual([[own, second]]);
  });

  it('removes only its own events from a week that another tenant needs, folded or not', async () => {
    const other = await trial.store.forNewTenant();
    await other.insert(other.checked([at('2026-01-05T08:00:00')]));
    await insert(at('2026-01-05T08:00:00'));
    await trial.keep(10);
    await trial.runAt('2026-03-01T00:00:00Z');
    expect([await trial.total(), await new RetentionTrial(other).total()]).toEqual([0, 1]);
    expect((await runs()).map(({ events, partitions }) => [events, partitions])).toEqual([[1, []]]);

    await trial.folder.run();
    await insert(at('2026-01-05T09:00:00'));
    await trial.runAt('2026-03-01T01:00:00Z');
    expect([await trial.total(), await new RetentionTrial(other).total()]).toEqual([0, 1]);
  });

  it('acknowledges a late event of a dropped week, shows it, and removes it with the next run', async () => {
    await insert(at('2026-01-05T08:00:00'));
    await trial.keep(10);
    await trial.runAt('2026-03-01T00:00:00Z');
    expect(await insert(at('2026-01-05T08:30:00'))).toBe(1);
    expect(await trial.total()).toBe(1);
    await trial.runAt('2026-03-01T01:00:00Z');
    expect([await trial.total(), (await runs()).length]).toEqual([0, 2]);
  });

  describe('of events with a mark', () => {
    const NOW = '2026-01-20T10:00:00Z';
    /** Stores events whose time cannot be right, as if they had come at a time. */
    const marked = async (arrival: string, ...times: string[]) => {
      const sent = times.map((eventTime) => at(eventTime, { additional: { clock: 'wrong' } }));
      const events = trial.store.checked(sent);
      await trial.store.insert(events);
      await trial.store.query(
        'UPDATE audit_clock SET received_at = $2::timestamptz WHERE tenant_id = $1 AND record_id = ANY($3::uuid[])',
        ...[trial.store.tenantId, arrival, events.map(({ recordId }) => recordId)],
      );
    };
    const preview = async () =>
      (await trial.retention.preview(trial.store.tenantId, Date.parse(NOW) - 10 * 86_400_000))?.events;
    const noted = async () =>
      (await trial.store.query('SELECT FROM audit_clock WHERE tenant_id = $1', trial.store.tenantId)).length;

    it('counts their days from their arrival, and not from the time that they state', async () => {
      const times = [
        '1971-01-01T00:00:00',
        '2026-01-05T08:00:00',
        '2031-05-05T08:00:00',
        '2090-05-05T08:00:00',
      ];
      await marked('2026-01-10T10:00:00Z', ...times);
      await marked('2026-01-10T09:59:59Z', '1972-01-01T00:00:00', '2031-05-05T08:00:01');
      await insert(at('2026-01-10T09:59:59'), at('2026-01-10T10:00:00'));
      await trial.folder.run();
      await trial.keep(10);
      expect(await preview()).toBe(3);
      await trial.runAt(NOW);
      expect([await trial.total(), await noted(), await preview()]).toEqual([5, 4, 0]);
      expect((await runs()).map(({ events }) => events).sort()).toEqual([1, 2]);
      const { database, tenantId } = trial.store;
      const removals = new Removals(await new PostgresEvidenceStore(database.service).removals(tenantId), '');
      const explained = (time: string) => removals.explain(recordIdFloor(parseTicks(`${time}Z`) ?? 0n));
      expect(['1972-01-01T00:00:00', '2031-05-05T08:00:01', '2026-01-10T09:59:59'].map(explained)).toEqual([
        true,
        true,
        true,
      ]);
      expect(explained('2032-01-01T00:00:00')).toBe(false);
      await trial.runAt('2026-01-20T10:00:01Z');
      expect([await trial.total(), await noted()]).toEqual([0, 0]);
    });

    it('states the removal of one in the last hour that there is, and explains it', async () => {
      await marked('2026-01-10T09:59:59Z', '9999-12-31T23:59:59');
      await trial.keep(10);
      await trial.runAt(NOW);
      expect(await trial.total()).toBe(0);
      expect((await runs()).map(({ toTime }) => toTime.toISOString())).toEqual(['9999-12-31T23:59:59.999Z']);
      const { database, tenantId } = trial.store;
      const stated = await new PostgresEvidenceStore(database.service).removals(tenantId);
      const removals = new Removals(stated, '');
      const explained = (time: string) => removals.explain(recordIdFloor(parseTicks(time) ?? 0n));
      expect(explained('9999-12-31T23:59:59.9999999Z')).toBe(true);
      expect(explained('9999-12-31T22:59:59.9999999Z')).toBe(false);
    });

    it('drops no partition while one of them is kept in it, and forgets those that go with it', async () => {
      await marked('2026-01-13T00:00:00Z', '2026-01-05T08:00:02');
      await marked('2026-01-15T00:00:00Z', '2026-01-05T08:00:00');
      await insert(at('2026-01-05T08:00:01'));
      await trial.keep(10);
      await trial.runAt('2026-01-24T23:00:00Z');
      expect([await trial.total(), await trial.weeks()]).toEqual([1, ['audit_event_20260105']]);
      await trial.runAt('2026-01-26T00:00:00Z');
      expect([await trial.total(), await noted(), await trial.weeks()]).toEqual([0, 0, []]);
    });

    it('removes in steps, and stops when the retention becomes longer', async () => {
      const times = Array.from({ length: LIMITS.retentionStepEvents + 1 }, () => '2031-05-05T08:00:00');
      const events = trial.store.checked(
        times.map((time, i) => at(time, { blockOffset: i, additional: { clock: 1 } })),
      );
      await trial.store.insert(events);
      await trial.keep(10);
      const { tenantId } = trial.store;
      const run = { runId: randomUUID(), startedAt: new Date(), now: () => new Date() };
      const before = Date.now() + 60_000;
      const step = (retentionDays: number) =>
        trial.retention.removeMarkedStep({ tenantId, retentionDays }, before, run);
      expect(await step(11)).toBe(0);
      expect([await step(10), await step(10), await step(10)]).toEqual([LIMITS.retentionStepEvents, 1, 0]);
      expect(await trial.total()).toBe(0);
    });
  });

  describe('of held events', () => {
    const hold = async (filter: string | null, until: string | null = null) => {
      const holds = new HoldStore(trial.store.database.service);
      const { tenantId } = trial.store;
      const spec = { tenantId, filter, reason: 'case 7', until: until === null ? null : new Date(until) };
      const made = await holds.create(spec, 'legal', { ...AN_ATTEMPT, at: new Date('2026-01-01') });
      if (made === null || typeof made === 'string') throw new Error(`not held: ${made}`);
      return { ...made, end: () => holds.end(made.holdId, { reason: 'settled', by: 'legal' }, AN_ATTEMPT) };
    };
    const left = async () => {
      const rows = await trial.store.query<{ name: string }>(
        'SELECT database_name AS name FROM audit_event WHERE tenant_id = $1 ORDER BY 1',
        trial.store.tenantId,
      );
      return rows.map(({ name }) => name);
    };

    it('names those that are in force at a time, and counts them', async () => {
      const { tenantId, database } = trial.store;
      const [, second] = [await hold(null, '2026-02-01T00:00:00Z'), await hold('databaseName:a')];
      const holds = new HoldStore(database.service);
      const inForce = async (time: string) => [
        (await holds.inForce(tenantSet([tenantId]), new Date(time))).map(({ filter }) => filter),
        (await holds.counts(new Date(time))).get(tenantId) ?? 0,
      ];
      expect(await inForce('2026-01-31T23:59:59Z')).toEqual([
        expect.arrayContaining([null, 'databaseName:a']),
        2,
      ]);
      expect(await inForce('2026-02-01T00:00:00Z')).toEqual([['databaseName:a'], 1]);
      await second.end();
      expect(await inForce('2026-02-01T00:00:00Z')).toEqual([[], 0]);
    });

    it('keeps them until the hold ends, those that come late too, and drops the week then', async () => {
      await insert(
        at('2026-01-05T08:00:00', { databaseName: 'a' }),
        at('2026-01-06T08:00:00', { databaseName: 'b' }),
      );
      const other = new RetentionTrial(await trial.store.forNewTenant());
      await other.store.insert(other.store.checked([at('2026-01-06T08:00:00', { databaseName: 'a' })]));
      await Promise.all([trial.keep(10), other.keep(10)]);
      const { end } = await hold('databaseName:a');
      await trial.runAt('2026-03-01T00:00:00Z');
      expect([await left(), await other.total(), await trial.weeks()]).toEqual([
        ['a'],
        0,
        ['audit_event_20260105'],
      ]);
      await insert(
        at('2026-01-07T08:00:00', { databaseName: 'a' }),
        at('2026-01-07T08:00:00', { databaseName: 'c' }),
      );
      await trial.runAt('2026-03-02T00:00:00Z');
      expect(await left()).toEqual(['a', 'a']);
      await end();
      await trial.runAt('2026-03-03T00:00:00Z');
      expect([await left(), await trial.weeks()]).toEqual([[], []]);
      expect((await runs()).reduce((sum, { events }) => sum + events, 0)).toBe(4);
    });

    it('ends by itself at its time', async () => {
      await insert(at('2026-01-05T08:00:00'));
      await trial.keep(10);
      await hold(null, '2026-03-01T00:00:00Z');
      await trial.runAt('2026-02-28T23:59:59Z');
      expect(await trial.total()).toBe(1);
      await trial.runAt('2026-03-01T00:00:00Z');
      expect(await trial.total()).toBe(0);
    });

    it('ends no earlier on an instance whose clock is ahead', async () => {
      await insert(at('2026-01-05T08:00:00'));
      await trial.keep(10);
      const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
      await hold(null, inAnHour);
      await trial.runAt(new Date(Date.now() + 7_200_000).toISOString());
      expect(await trial.total()).toBe(1);
    });

    it('removes nothing of a tenant one of whose holds has a filter that this version cannot read', async () => {
      await insert(at('2026-01-05T08:00:00'));
      await trial.keep(10);
      const { holdId } = await hold('databaseName:nothing');
      await trial.store.query("UPDATE legal_hold SET filter = 'later(' WHERE hold_id = $1::uuid", holdId);
      await trial.runAt('2026-03-01T00:00:00Z');
      expect(await trial.total()).toBe(1);
    });

    it('keeps marked ones, however many, and removes the marked ones behind them', async () => {
      const count = LIMITS.retentionStepEvents + 1;
      const changes = Array.from({ length: count }, (_, i) =>
        at('2031-05-05T08:00:00', { blockOffset: i, additional: { clock: 1 }, databaseName: 'a' }),
      );
      await insert(...changes);
      await insert(at('2031-05-06T08:00:00', { additional: { clock: 1 }, databaseName: 'b' }));
      await trial.keep(10);
      await hold('databaseName:a');
      await trial.runAt(new Date(Date.now() + 11 * 86_400_000).toISOString());
      expect((await left()).filter((name) => name !== 'a')).toEqual([]);
      expect((await left()).length).toBe(count);
    });

    it('holds no more than so many for a tenant', async () => {
      for (let i = 0; i < LIMITS.holdsInForceMax; i++) await hold(`databaseName:a${i}`);
      await expect(hold('databaseName:b')).rejects.toThrow('not held: too many');
      await insert(
        at('2026-01-05T08:00:00', { databaseName: 'a49' }),
        at('2026-01-05T08:00:00', { databaseName: 'b' }),
      );
      await trial.keep(10);
      await trial.runAt('2026-03-01T00:00:00Z');
      expect(await left()).toEqual(['a49']);
    });
  });

  it('removes in steps and records all of them as one run', async () => {
    const count = LIMITS.retentionStepEvents + 10;
    const changes = Array.from({ length: count }, (_, i) => at('2026-01-05T08:00:00', { blockOffset: i }));
    await insert(...changes, at('2026-01-09T08:00:00'));
    const steps: number[] = [];
    const counting = Object.create(trial.retention, {
      removeStep: {
        value: async (...args: Parameters<typeof trial.retention.removeStep>) => {
          const step = await trial.retention.removeStep(...args);
          steps.push(step.removed);
          return step;
        },
      },
    });
    await trial.keep(10);
    await trial.runAt('2026-01-17T00:00:00Z', counting);
    expect(steps).toEqual([LIMITS.retentionStepEvents, 10]);
    expect((await runs()).map(({ events }) => events)).toEqual([count]);
    expect(await trial.total()).toBe(1);
  });

  it('stops when the retention becomes longer during the run', async () => {
    await insert(at('2026-01-05T08:00:00'));
    await trial.keep(10);
    const changing = Object.create(trial.retention, {
      weeks: { value: () => trial.keep(null).then(() => []) },
    });
    await trial.runAt('2026-03-01T00:00:00Z', changing);
    expect(await trial.total()).toBe(1);
    expect(await trial.retention.dropWeek(...dropArguments())).toBeNull();
  });

  const dropArguments = (): Parameters<typeof trial.retention.dropWeek> => [
    { name: 'audit_event_20260105', startMs: Date.parse('2026-01-05'), endMs: Date.parse('2026-01-12') },
    30,
    { runId: '11111111-1111-4111-8111-111111111111', startedAt: new Date(), now: () => new Date() },
  ];

  it('keeps searches right in an hour whose count is equal again after a removal and a late event', async () => {
    await insert(
      at('2026-01-05T08:10:00', { statement: 'old' }),
      at('2026-01-05T08:50:00', { statement: 'kept' }),
    );
    await trial.folder.run();
    await trial.indexer.run();
    await trial.keep(10);
    await trial.runAt('2026-01-15T08:30:00Z');
    await insert(at('2026-01-05T08:40:00', { statement: 'late' }));
    expect([await trial.total('old'), await trial.total('kept'), await trial.total('late')]).toEqual([
      0, 1, 1,
    ]);
  });

  it.each([
    ['weeks that go', '2026-02-05T08:00:00', '2026-02-06T00:00:00Z'],
    ['a week that stays', '2026-01-06T08:00:00', '2026-01-16T00:00:00Z'],
  ])('removes the names that only removed events had: %s', async (_, kept, run) => {
    await insert(at('2026-01-05T08:00:00', { serverPrincipalName: 'gone' }), at(kept));
    await trial.keep(10);
    await trial.runAt(run);
    await trial.folder.run();
    const names = await trial.store.query<{ value: string }>('SELECT value FROM audit_dim WHERE kind = 3');
    expect(names).toEqual([{ value: 'CORP\\alice' }]);
  });

  it('continues with the other tenants when one fails, and logs the failure', async () => {
    await insert(at('2026-01-05T08:00:00'));
    await trial.keep(10);
    const failing = Object.create(trial.retention, {
      tenantsWithRetention: {
        value: async () => [
          { tenantId: -1, retentionDays: 1 },
          { tenantId: trial.store.tenantId, retentionDays: 10 },
        ],
      },
      weeks: { value: async () => [] },
      removeStep: {
        value: (tenant: { tenantId: number }, ...rest: never[]) =>
          tenant.tenantId < 0
            ? Promise.reject(new Error('cannot'))
            : Reflect.apply(trial.retention.removeStep, trial.retention, [tenant, ...rest]),
      },
    });
    await trial.runAt('2026-03-01T00:00:00Z', failing);
    expect(await trial.total()).toBe(0);
    expect(trial.logLines.map((line) => JSON.parse(line).tenantId)).toEqual([-1]);
  });
});

it('what has expired of a week that came back into rows goes before the next week comes back', async () => {
  const done: unknown[] = [];
  const store: Partial<RetentionStore> = {
    tenantsWithRetention: async () => [{ tenantId: 7, retentionDays: 10 }],
    weeks: async () => [],
    expiredWeeks: async () => [2_921, 2_922],
    removeSealedWeek: async (_, week) => {
      done.push(week);
      return 0;
    },
    removeStep: async (_, { from, beforeMs }) => {
      done.push(`${new Date(msOfRecordId(from)).toISOString()} to ${new Date(beforeMs).toISOString()}`);
      return { removed: 1, next: null };
    },
    removeMarkedStep: async () => 0,
    forgetValues: async () => {},
  };
  await applyRetention({
    store: store as RetentionStore,
    nowMs: () => Date.parse('2026-01-20T08:00:00Z'),
    log: pino({ level: 'silent' }),
  });
  expect(done).toEqual([
    2_921,
    '2025-12-29T00:00:00.000Z to 2026-01-05T00:00:00.000Z',
    2_922,
    '2026-01-05T00:00:00.000Z to 2026-01-10T08:00:00.000Z',
    '1970-01-01T00:00:00.000Z to 2026-01-10T08:00:00.000Z',
  ]);
});
