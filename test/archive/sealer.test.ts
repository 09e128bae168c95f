import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import pino from 'pino';
import { ownAttempt } from '../../src/caller/access-log';
import { serviceUnavailable } from '../../src/errors';
import { DAY_MS, HOUR_MS, parseTicks } from '../../src/event/event-time';
import { LIMITS } from '../../src/limits';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { ManageArchive } from '../../src/modules/archive/manage-archive';
import { Sealer } from '../../src/modules/archive/sealer';
import { readShippedRules } from '../../src/modules/detection/rules/shipped-rules';
import { HealthAlerts } from '../../src/modules/detection/watch/health-alerts';
import { HoldStore } from '../../src/modules/tenants/holds/hold.store';
import { applyRetention } from '../../src/modules/tenants/retention/apply-retention';
import { PostgresRetentionStore } from '../../src/modules/tenants/retention/retention.store';
import { Archive, openArchive } from '../../src/store/archive/archive';
import { ArchivedTenants } from '../../src/store/archive/archived-tenants';
import { WorkerEnded } from '../../src/store/archive/asked-process';
import type { FilePlace } from '../../src/store/archive/file-place';
import { floorOfWeek, weekOfMs } from '../../src/store/rows/partitions';
import { oneTenant } from '../../src/tenant-set';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ENGINES } from '../support/engines';
import { NO_FILTER } from '../support/filters';
import { Store } from '../support/store';
import { useLimits } from '../support/use-limits';
import { ArchiveTrial } from './archive-trial';

const NOW_MS = Date.parse('2026-02-03T08:00:00Z');
const BY_OPERATOR = ownAttempt('changeOfWeek', new Date());
const WEEK = '2026-01-05T00:00:00.000Z';

describe.each(ENGINES)('the sealer on %s', (engine) => {
  let base: Store;
  let trial: ArchiveTrial;
  /** The clock of rests. */
  let restsMs = 0;
  beforeAll(async () => {
    base = await Store.open(engine);
    trial = await ArchiveTrial.open(base);
  });
  afterAll(async () => {
    await trial.close();
    await base.close();
  });

  function managing(
    store: Store,
    lacks: () => string | null = () => null,
    more: object = {},
    nowMs = () => NOW_MS,
  ) {
    const { owner } = store.database;
    const { tenants, worker, cache, folder } = trial;
    const sealer = new Sealer({
      key: TEST_CHECKPOINT_KEY,
      ...{ owner, lacks, tenants, writer: worker, cache, folder, afterDays: 4, ...more },
      steadyMs: () => restsMs,
      nowMs,
      log: pino({ level: 'silent' }),
    });
    const archive = new Archive(tenants, cache, worker);
    return { sealer, manage: new ManageArchive(owner, archive, sealer, () => NOW_MS) };
  }

  /** A tenant with three events of one week that is over, all of them logged. */
  async function aWeek(lacks: () => string | null = () => null, more: object = {}) {
    base = await base.renewed();
    const events = base.checked([1, 2, 3].map((i) => ({ eventTime: `2026-01-06T08:00:00.000000${i}Z` })));
    await base.insert(events);
    await trial.settle();
    const { sealer, manage } = managing(base, lacks, more);
    const entries = () =>
      base.query<{ operation: string; rows: number; tenants: number[]; kind: string }>(
        `SELECT operation, row_count AS rows, tenant_ids AS tenants, principal_kind AS kind FROM access_log
         WHERE operation IN ('sealWeek', 'changeOfWeek') AND $1::int = ANY(tenant_ids) ORDER BY entry_id`,
        base.tenantId,
      );
    return { store: base, tenantId: base.tenantId, sealer, manage, entries };
  }

  it('seals no week of now where the clock of the instance is ahead, and takes none for later where it is behind', async () => {
    const [AHEAD_MS, BEHIND_MS] = [400 * DAY_MS, 12 * DAY_MS];
    base = await base.renewed();
    const at = (ms: number) => ({ eventTime: new Date(ms).toISOString().replace('Z', '0000Z') });
    const [older, recent] = [at(Date.now() - 11 * DAY_MS), at(Date.now() - HOUR_MS)];
    await base.insert(base.checked([recent]));
    await trial.settle();
    const { owner, service } = base.database;
    const ahead = () => Date.now() + AHEAD_MS;
    const { sealer } = managing(base, undefined, {}, ahead);
    expect([await sealer.run(), sealer.tally.waiting]).toEqual([0, 0]);
    const manage = new ManageArchive(
      owner,
      new Archive(trial.tenants, trial.cache, trial.worker),
      sealer,
      ahead,
    );
    const asked = manage.seal(String(base.tenantId), recent.eventTime, BY_OPERATOR);
    expect(await asked).toMatchObject({
      outcome: 'waits',
      because: expect.stringContaining('over for long'),
    });
    const late = base.checked([older]);
    expect(await base.insert(late)).toBe(1);
    await trial.settle();
    expect(await trial.seal(older.eventTime, base.tenantId)).toMatchObject({ outcome: 'sealed', events: 1 });
    // As an instance whose clock takes the event for one of its last day.
    const behind = new ArchivedTenants(owner, 0, () => Date.now() - BEHIND_MS);
    await behind.read();
    openArchive(new Archive(behind, trial.cache, trial.worker), service);
    try {
      expect(await base.insert(late)).toBe(0);
      const filter = { ...NO_FILTER, from: parseTicks(older.eventTime) };
      const asked = { filter, sort: 'recordId', descending: true, page: 1, pageSize: 5 } as const;
      const page = await new PostgresAuditEventReader(service).page(oneTenant(base.tenantId), asked);
      expect(page.totalCount).toBe(2);
    } finally {
      trial.open();
    }
  });

  it('seals what is due, counts it, and writes an entry of the access log in the same transaction', async () => {
    const { tenantId, sealer, entries, store } = await aWeek();
    // So many days before now, the week had a day left.
    expect(await managing(store, () => null, { afterDays: 23 }).sealer.run()).toBe(0);
    expect(await sealer.run()).toBe(1);
    expect(sealer.tally).toMatchObject({ weeks: 1, events: 3, failures: 0, waiting: 0 });
    expect(sealer.tally.bytes).toBeGreaterThan(0);
    expect(await entries()).toEqual([
      { operation: 'sealWeek', rows: 3, tenants: [tenantId], kind: 'service' },
    ]);
    expect(await store.count()).toBe(0);
    expect(await sealer.run()).toBe(0);
  });

  it('seals nothing while another instance has another place of files, which would not find them', async () => {
    let isApart = true;
    const { store, tenantId, sealer, manage } = await aWeek(() => null, { isApart: () => isApart });
    const asked = () => manage.seal(String(tenantId), '2026-01-05T00:00:00Z', BY_OPERATOR);
    expect([await sealer.run(), await store.count()]).toEqual([0, 3]);
    expect(await asked()).toMatchObject({
      outcome: 'waits',
      because: 'another instance has another ARCHIVE_URL: set it alike on each',
    });
    isApart = false;
    expect(await sealer.run()).toBe(1);
  });

  it('makes one attempt of a tenant at a time, also where an operator asks the instance that seals', async () => {
    const asked: unknown[] = [];
    let isFirst = true;
    const write: typeof trial.worker.write = async (...file) => {
      if (isFirst) {
        isFirst = false;
        asked.push(await manage.seal(String(tenantId), WEEK, BY_OPERATOR));
      }
      return trial.worker.write(...file);
    };
    const leaves: typeof trial.worker.leaves = (...of) => trial.worker.leaves(...of);
    const { tenantId, sealer, manage } = await aWeek(() => null, { writer: { write, leaves } });
    expect(await sealer.run()).toBe(1);
    expect(asked).toEqual([
      expect.objectContaining({ outcome: 'waits', because: expect.stringContaining('is being put') }),
    ]);
    expect(await manage.seal(String(tenantId), WEEK, BY_OPERATOR)).toMatchObject({ outcome: 'nothing' });
  });

  it('seals later weeks of a tenant that has an event of a wrong clock, whose week stays in rows', async () => {
    const { tenantId, sealer, store, manage } = await aWeek();
    const ofWrongClock = '1980-01-09T08:00:00.0000000Z';
    await store.insert(store.checked([{ eventTime: ofWrongClock }]));
    await trial.settle();
    expect(await sealer.run()).toBe(1);
    expect(sealer.tally).toMatchObject({ events: 3, waiting: 0 });
    expect(await store.count()).toBe(1);
    expect(await manage.seal(String(tenantId), '1980-01-07T00:00:00Z', BY_OPERATOR)).toMatchObject({
      outcome: 'waits',
      because: 'retention counts events of the week from their arrival',
    });
  });

  it('an entry that cannot be written keeps the week in rows, or in its file', async () => {
    const { tenantId, manage, store, entries } = await aWeek();
    const broken = { ...BY_OPERATOR, at: new Date(Number.NaN) };
    await expect(manage.seal(String(tenantId), WEEK, broken)).rejects.toThrow();
    expect(await store.count()).toBe(3);

    expect(await manage.seal(String(tenantId), WEEK, BY_OPERATOR)).toMatchObject({ outcome: 'sealed' });
    await expect(manage.restore(String(tenantId), WEEK, broken)).rejects.toThrow();
    expect(await store.count()).toBe(0);
    expect(await manage.restore(String(tenantId), WEEK, BY_OPERATOR)).toMatchObject({ outcome: 'restored' });
    expect(await store.count()).toBe(3);
    expect((await entries()).map(({ rows }) => rows)).toEqual([3, 3]);
  });

  it('is sure of the tenants without files for half of the time for which a tenant is announced first', async () => {
    for (const announceMs of [8_000, 60_000]) {
      const tenants = new ArchivedTenants(base.database.owner, announceMs);
      const beforeMs = performance.now();
      await tenants.read();
      expect(tenants.isSureUntilMs).toBeGreaterThanOrEqual(beforeMs + announceMs / 2);
      expect(tenants.isSureUntilMs).toBeLessThanOrEqual(performance.now() + announceMs / 2);
    }
  });

  it('leaves a restored week in rows until an operator has it sealed again', async () => {
    const { tenantId, manage, sealer, store } = await aWeek();
    await sealer.run();
    await manage.restore(String(tenantId), WEEK, BY_OPERATOR);
    expect(await sealer.run()).toBe(0);
    expect(await store.count()).toBe(3);
    expect(await manage.seal(String(tenantId), WEEK, BY_OPERATOR)).toMatchObject({
      outcome: 'sealed',
      events: 3,
    });
  });

  it('leaves each of several restored weeks in rows', async () => {
    const { tenantId, manage, sealer, store } = await aWeek();
    await store.insert(store.checked([{ eventTime: '2026-01-13T08:00:00Z' }]));
    await trial.settle();
    expect([await sealer.run(), await sealer.run(), await store.count()]).toEqual([1, 1, 0]);
    for (const week of [WEEK, '2026-01-12T00:00:00.000Z'])
      await manage.restore(String(tenantId), week, BY_OPERATOR);
    expect([await sealer.run(), await sealer.run(), await store.count()]).toEqual([0, 0, 4]);
  });

  it('a week of which a hold keeps an event comes back into rows once, and is not sealed again', async () => {
    const { tenantId, sealer, store } = await aWeek();
    const { service, owner } = store.database;
    const [first] = await store.query<{ id: string }>(
      'SELECT record_id::text AS id FROM audit_event WHERE tenant_id = $1 ORDER BY 1',
      tenantId,
    );
    await sealer.run();
    const hold = { tenantId, filter: `recordId:${first?.id}`, reason: 'case 7', until: null };
    await new HoldStore(service).create(hold, 'legal', BY_OPERATOR);
    const retention = new PostgresRetentionStore(service, owner);
    await retention.setDays(tenantId, 10, BY_OPERATOR);
    const log = pino({ level: 'silent' });
    const retain = () => applyRetention({ store: retention, nowMs: () => NOW_MS, log });
    await retain();
    expect(await store.count()).toBe(1);
    expect(await sealer.run()).toBe(0);
    await retain();
    expect(await store.count()).toBe(1);
  });

  it('a week with an event whose days count from its arrival comes back into rows, and the event stays', async () => {
    const { tenantId, sealer, store } = await aWeek();
    const { service, owner } = store.database;
    const [first] = await store.query<{ id: string }>(
      'SELECT record_id::text AS id FROM audit_event WHERE tenant_id = $1 ORDER BY 1',
      tenantId,
    );
    await sealer.run();
    const arrivedAt = new Date(NOW_MS - 5 * DAY_MS);
    await store.query('INSERT INTO audit_clock VALUES ($1, $2::uuid, $3)', tenantId, first?.id, arrivedAt);
    const retention = new PostgresRetentionStore(service, owner);
    await retention.setDays(tenantId, 10, BY_OPERATOR);
    const left: number[] = [];
    for (const days of [0, 4, 6]) {
      const nowMs = () => NOW_MS + days * DAY_MS;
      await applyRetention({ store: retention, nowMs, log: pino({ level: 'silent' }) });
      left.push(await store.count());
    }
    expect(left).toEqual([1, 1, 0]);
  });

  it('a week that expires as a whole goes with what came late and is not counted yet', async () => {
    const { tenantId, sealer, store } = await aWeek();
    const { service, owner } = store.database;
    await sealer.run();
    await store.insert(store.checked([{ eventTime: WEEK }]));
    const retention = new PostgresRetentionStore(service, owner);
    await retention.setDays(tenantId, 10, BY_OPERATOR);
    const run = { runId: randomUUID(), startedAt: new Date(NOW_MS), now: () => new Date(NOW_MS) };
    const tenant = { tenantId, retentionDays: 10 };
    const removed = await retention.removeSealedWeek(tenant, weekOfMs(Date.parse(WEEK)), NOW_MS, run);
    const [waiting] = await store.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM audit_delta WHERE tenant_id = $1',
      tenantId,
    );
    expect([removed, await store.count(), waiting?.n]).toEqual([4, 0, 0]);
  });

  it('a week that begins to expire comes back into rows once, and is not sealed again for what is left of it', async () => {
    base = await base.renewed();
    const { service, owner } = base.database;
    const days = [5, 6, 7, 8].map((day) => ({ eventTime: `2026-01-0${day}T08:00:00.0000000Z` }));
    await base.insert(base.checked(days));
    await trial.settle();
    const { sealer } = managing(base);
    expect(await sealer.run()).toBe(1);
    const retention = new PostgresRetentionStore(service, owner);
    await retention.setDays(base.tenantId, 28, BY_OPERATOR);
    const left: number[] = [];
    for (let day = 0; day < 4; day++) {
      const nowMs = () => NOW_MS + day * DAY_MS;
      await applyRetention({ store: retention, nowMs, log: pino({ level: 'silent' }) });
      left.push(await base.count());
      expect(await managing(base, undefined, {}, nowMs).sealer.run()).toBe(0);
    }
    expect(left).toEqual([3, 2, 1, 0]);
  });

  const placeThat = (change: Partial<FilePlace>): { place: FilePlace } => ({
    place: {
      put: async () => {},
      has: async () => true,
      read: () => Readable.from([]),
      remove: async () => {},
      close: () => {},
      ...change,
    },
  });

  it.each(['a week that is not proven', 'a place that is full'])(
    'attempts %s again after longer and longer rests',
    async (what) => {
      const full = () => Promise.reject(Object.assign(new Error('write'), { code: 'ENOSPC' }));
      const isFull = what === 'a place that is full';
      const { tenantId, sealer, store } = await aWeek(undefined, isFull ? placeThat({ put: full }) : {});
      if (!isFull)
        await store.query(`UPDATE audit_event SET database_name = 'Another' WHERE tenant_id = $1`, tenantId);
      const rounds = async () => {
        await expect(sealer.run()).rejects.toThrow();
        expect(await sealer.run()).toBe(0);
      };
      await rounds();
      expect([sealer.tally.failures, [...sealer.problems.keys()]]).toEqual([1, [tenantId]]);
      restsMs += LIMITS.archiveMs;
      await rounds();
      restsMs += 2 * LIMITS.archiveMs - 1;
      expect(await sealer.run()).toBe(0);
      restsMs += 1;
      await expect(sealer.run()).rejects.toThrow();
      expect(sealer.tally).toMatchObject({ failures: 3, waiting: 1 });
    },
  );

  it('attempts no other tenant while a place is full, and the others where a week of one is not proven', async () => {
    for (const isFull of [true, false]) {
      const full = () => Promise.reject(Object.assign(new Error('write'), { code: 'ENOSPC' }));
      const { tenantId, sealer, store } = await aWeek(undefined, isFull ? placeThat({ put: full }) : {});
      const other = await store.forNewTenant();
      await other.insert(other.checked([{ eventTime: '2026-01-13T08:00:00Z' }]));
      await trial.settle();
      if (!isFull)
        await store.query(`UPDATE audit_event SET database_name = 'Another' WHERE tenant_id = $1`, tenantId);
      await expect(sealer.run()).rejects.toThrow();
      expect(sealer.tally).toMatchObject(isFull ? { failures: 1, weeks: 0 } : { failures: 1, weeks: 1 });
      expect(await other.count()).toBe(isFull ? 1 : 0);
    }
  });

  it('seals later weeks of a tenant after one that is not proven, and goes on saying that it is not', async () => {
    const { tenantId, sealer, store } = await aWeek();
    const later = ['2026-01-13', '2026-01-20'].map((day) => ({ eventTime: `${day}T08:00:00Z` }));
    await store.insert(store.checked(later));
    await trial.settle();
    const rename = (name: string) =>
      store.query(
        'UPDATE audit_event SET database_name = $2 WHERE tenant_id = $1 AND record_id < $3::uuid',
        ...[tenantId, name, floorOfWeek(weekOfMs(Date.parse('2026-01-12')))],
      );
    const [before] = await store.query<{ name: string }>(
      'SELECT database_name AS name FROM audit_event WHERE tenant_id = $1 LIMIT 1',
      tenantId,
    );
    await rename('Another');
    await expect(sealer.run()).rejects.toThrow(/is not the one of the log/);
    restsMs += LIMITS.archiveMs;
    for (const left of [4, 3]) {
      expect([await sealer.run(), await store.count()]).toEqual([1, left]);
      expect([...sealer.problems.keys()]).toEqual([tenantId]);
    }
    await expect(sealer.run()).rejects.toThrow(/is not the one of the log/);
    await rename(before?.name ?? '');
    restsMs += LIMITS.archiveMs;
    expect([await sealer.run(), await store.count(), sealer.problems.size]).toEqual([1, 0, 0]);
  });

  describe('with room for one tenant in a round', () => {
    useLimits({ archiveTenantsPerRound: 1 });

    it('seals weeks of others while one of a tenant is not proven, and goes on saying that it is not', async () => {
      const { tenantId, sealer, store } = await aWeek();
      const other = await store.forNewTenant();
      await other.insert(other.checked([{ eventTime: '2026-01-13T08:00:00Z' }]));
      await trial.settle();
      await store.query(`UPDATE audit_event SET database_name = 'Another' WHERE tenant_id = $1`, tenantId);
      await expect(sealer.run()).rejects.toThrow(/is not the one of the log/);
      expect([await sealer.run(), await other.count()]).toEqual([1, 0]);
      expect([...sealer.problems.keys()]).toEqual([tenantId]);
    });
  });

  it('keeps rows that the log does not prove, says so until they are proven, and makes an alert of it', async () => {
    const { tenantId, sealer, store } = await aWeek();
    const { owner } = store.database;
    const change = (to: string) =>
      store.query('UPDATE audit_event SET database_name = $2 WHERE tenant_id = $1', tenantId, to);
    const [before] = await store.query<{ name: string }>(
      'SELECT database_name AS name FROM audit_event WHERE tenant_id = $1 LIMIT 1',
      tenantId,
    );
    await change('Another');
    await expect(sealer.run()).rejects.toThrow(/is not the one of the log/);
    expect(sealer.tally).toMatchObject({ weeks: 0, failures: 1, waiting: 1 });
    expect(await store.count()).toBe(3);
    const unproven = 'what was read back from the file is not what the evidence log has';
    expect([...sealer.problems]).toEqual([[tenantId, unproven]]);

    let nowMs = NOW_MS;
    const watch = new HealthAlerts(
      owner,
      readShippedRules(),
      () => nowMs,
      undefined,
      undefined,
      () => sealer.problems,
    );
    await watch.look();
    nowMs += 60_000;
    await watch.look();
    const alerts = await owner.models.alert.findMany({ where: { tenantId } });
    expect(alerts.map(({ groupValues }) => JSON.parse(groupValues))).toEqual([
      { problem: `A week that is over stays in rows: ${unproven}` },
    ]);

    await change(before?.name ?? '');
    restsMs += LIMITS.archiveMs;
    expect(await sealer.run()).toBe(1);
    expect(sealer.problems.size).toBe(0);
  });

  /** As DuckDB says it, and as the system does. */
  const NO_ROOM = [
    'IO Error: Could not write file "x": No space left on device',
    'Out of Memory Error: failed to offload data block of size 256.0 KiB (raise max_temp_directory_size)',
  ].map((text) => new Error(text));
  const ENOSPC = Object.assign(new Error('write'), { code: 'ENOSPC' });
  const failing = (error: Error) => () => Promise.reject(error);
  it.each<readonly [string, string, object]>([
    ['less room than is left to others', 'the disk of DATA_DIR is full', { roomBytes: Number.MAX_VALUE }],
    ...NO_ROOM.map(
      (error) =>
        [error.message, 'the disk of DATA_DIR is full', { writer: { write: failing(error) } }] as const,
    ),
    [
      'a process that was killed',
      'the process that makes files ended',
      { writer: { write: failing(serviceUnavailable(new WorkerEnded('ended'))) } },
    ],
    ['a full folder', 'the place that ARCHIVE_URL names is full', placeThat({ put: failing(ENOSPC) })],
    [
      'a login that has expired',
      'the place that ARCHIVE_URL names does not take files',
      placeThat({ put: failing(new Error('the object store answered 403')) }),
    ],
  ])(
    'keeps the rows for %s, says why to every instance, and goes on afterwards',
    async (_what, why, more) => {
      const parts = { ...more };
      const { tenantId, store, sealer, manage } = await aWeek(undefined, parts);
      await expect(sealer.run()).rejects.toThrow();
      await expect(manage.seal(String(tenantId), WEEK, BY_OPERATOR)).rejects.toMatchObject({
        code: 'service_unavailable',
        message: `The week stays in rows: ${why}.`,
      });
      expect(await store.count()).toBe(3);
      expect([...sealer.problems]).toEqual([[tenantId, why]]);
      const unsealed = [{ tenantId: String(tenantId), week: WEEK, problem: why, at: expect.any(String) }];
      expect(await manage.unsealed(null, 9)).toEqual(unsealed);
      expect(await manage.unsealed(String(tenantId + 1), 9)).toEqual([]);

      expect(await managing(store).manage.seal(String(tenantId), WEEK, BY_OPERATOR)).toMatchObject({
        outcome: 'sealed',
      });
      expect(await manage.unsealed(null, 9)).toEqual([]);
      expect(await store.count()).toBe(0);
      expect((await readdir(trial.folder)).filter((name) => name.startsWith('seal-'))).toEqual([]);
    },
  );

  it('says which library is missing, and leaves everything as it is', async () => {
    const { tenantId, sealer, manage, store, entries } = await aWeek(() => 'a library is missing');
    await expect(sealer.run()).rejects.toThrow('a library is missing');
    for (const attempt of [manage.seal, manage.restore])
      expect(await attempt.call(manage, String(tenantId), WEEK, BY_OPERATOR)).toMatchObject({
        outcome: 'waits',
        because: 'a library is missing',
      });
    expect(await store.count()).toBe(3);
    expect((await entries()).map(({ rows }) => rows)).toEqual([0, 0]);
  });
});
