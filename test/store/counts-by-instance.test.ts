import { pino } from 'pino';
import { migrate } from '../../src/database/migrate';
import type { AuditEventFilter, AuditEventQuery } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import { InstanceFiller } from '../../src/store/counts/fill-instances';
import { Folder } from '../../src/store/counts/fold';
import { tenantSet } from '../../src/tenant-set';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { describeOnPostgres, ENGINES } from '../support/engines';
import { NO_FILTER, usualFacets } from '../support/filters';
import { Inserter } from '../support/inserter';
import { OLDER_REMOVE, olderFold, olderService } from '../support/older-release';
import { Store } from '../support/store';

const LOG = pino({ level: 'silent' });
const OPEN = `SELECT c.bucket FROM audit_count c WHERE c.tenant_id = $1 AND c.grain = 2 AND c.a IN (0, -1) AND c.d = 0 AND c.p = 0
  GROUP BY c.bucket HAVING sum(CASE c.a WHEN 0 THEN c.n ELSE -c.n END) <> 0 ORDER BY c.bucket`;
const DAY = '2026-01-05';
const events = (count: number, day = DAY, instance = 'SQL1') =>
  Array.from({ length: count }, (_, i) => ({
    eventTime: `${day}T${String(i % 24).padStart(2, '0')}:00:00.0000000Z`,
    serverInstanceName: i % 3 === 0 ? 'SQL2' : instance,
    databaseName: i % 2 === 0 ? 'a' : 'b',
  }));

/** A writer that stores events as the previous release does. */
const olderWriter = ({ database, partitions }: Store) =>
  new Inserter(olderService(database.service), partitions, TEST_CHECKPOINT_KEY);
const fillOf = async ({ database }: Store) => {
  const filler = new InstanceFiller(database.migrator, LOG);
  let steps = 0;
  while ((await filler.run()) > 0) steps++;
  return steps;
};
const foldOf = ({ database }: Store) => new Folder(database.migrator).run();
async function totalOf({ database, tenantId }: Store, change: Partial<AuditEventFilter>): Promise<number> {
  const query: AuditEventQuery = {
    filter: { ...NO_FILTER, ...change },
    sort: 'recordId',
    descending: true,
    page: 1,
    pageSize: 100,
  };
  const page = await new PostgresAuditEventReader(database.service).page(tenantSet([tenantId]), query);
  expect(page.items).toHaveLength(Math.min(100, page.totalCount));
  return page.totalCount;
}
const facetOf = async ({ database, tenantId }: Store, readMax: number) => {
  const explorer = new PostgresAuditEventExplorer(database.service, readMax);
  const { facets } = await explorer.facets(tenantSet([tenantId]), NO_FILTER, usualFacets(10));
  return facets.find(({ field }) => field === 'serverInstanceName')?.values ?? null;
};
const openDaysOf = async (store: Store) => (await store.query<unknown>(OPEN, store.tenantId)).length;

describe.each(ENGINES)('counts by instance on %s', (engine) => {
  let shared: Store;
  let store: Store;
  beforeAll(async () => {
    shared = await Store.open(engine);
  });
  beforeEach(async () => {
    store = await shared.forNewTenant();
  });
  afterAll(() => shared.close());

  it('are made for events stored before the migration, and answers are exact before, during and after', async () => {
    const before = await Store.open(engine);
    await before.query('ALTER TABLE audit_delta DROP CONSTRAINT audit_delta_removes_by_instance');
    await before.query('ALTER TABLE audit_delta DROP COLUMN server_instance_name');
    await before.query(`DELETE FROM _prisma_migrations WHERE migration_name = '0012_counts_by_instance'`);
    const days = Array.from({ length: 24 }, (_, i) => `2026-01-${String(i + 5).padStart(2, '0')}`);
    const writer = olderWriter(before);
    for (const [i, day] of days.entries()) {
      await writer.insert(before.tenantId, before.checked(events(12, day)));
      // The last three days stay unfolded.
      if (i === 20) await olderFold(before.database.migrator, before.tenantId);
    }
    expect(await migrate(before.database.migrator)).toEqual(['0012_counts_by_instance']);

    const exact = async () => {
      expect(await totalOf(before, { serverInstanceName: 'SQL2' })).toBe(24 * 4);
      expect(await totalOf(before, { serverInstanceName: 'SQL1', databaseName: 'b' })).toBe(24 * 4);
    };
    await exact();
    expect(await facetOf(before, 24 * 12 - 1)).toBeNull();
    await foldOf(before);
    expect(await openDaysOf(before)).toBe(24);
    const filler = new InstanceFiller(before.database.migrator, LOG);
    for (const open of [14, 4, 0]) {
      expect(await filler.run()).toBe(open > 0 ? 10 : 0);
      expect(await openDaysOf(before)).toBe(open);
      await exact();
    }
    expect(await facetOf(before, 0)).toEqual([
      { value: 'SQL1', succeeded: expect.any(Number), failed: expect.any(Number) },
      { value: 'SQL2', succeeded: expect.any(Number), failed: expect.any(Number) },
    ]);
    await before.close();
  });

  it('are made again for a day in which the previous release has written or folded', async () => {
    await store.insert(store.checked(events(24)));
    await foldOf(store);
    expect(await openDaysOf(store)).toBe(0);
    await olderWriter(store).insert(store.tenantId, store.checked(events(12)));
    expect(await totalOf(store, { serverInstanceName: 'SQL2' })).toBe(12);
    await foldOf(store);
    expect(await openDaysOf(store)).toBe(1);
    await fillOf(store);
    expect(await openDaysOf(store)).toBe(0);
    expect(await totalOf(store, { serverInstanceName: 'SQL2' })).toBe(12);

    await store.insert(store.checked(events(12)));
    await olderFold(store.database.migrator, store.tenantId);
    expect(await openDaysOf(store)).toBe(1);
    expect(await totalOf(store, { serverInstanceName: 'SQL2' })).toBe(16);
    await fillOf(store);
    expect(await openDaysOf(store)).toBe(0);
    expect(await totalOf(store, { serverInstanceName: 'SQL2' })).toBe(16);
  });

  it("stay right because the database refuses the previous release's removal of single events", async () => {
    await store.insert(store.checked(events(24)));
    await foldOf(store);
    const all = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
    // A distributed database may refuse the statement itself, before it comes to the check.
    await expect(store.query(OLDER_REMOVE, store.tenantId, ...all)).rejects.toThrow(
      engine === 'citus'
        ? /audit_delta_removes_by_instance|from a query on a shard/
        : /audit_delta_removes_by_instance/,
    );
    expect(await store.count()).toBe(24);
    expect(await totalOf(store, { serverInstanceName: 'SQL2' })).toBe(8);
  });

  it('leave out instances without a number: these are read from the events, and the day is not tried again and again', async () => {
    await store.query(`INSERT INTO audit_dim VALUES ($1, 4, 'the last', 32767)`, store.tenantId);
    await store.insert(store.checked(events(24, DAY, 'one too many')));
    await foldOf(store);
    expect(await openDaysOf(store)).toBe(1);
    expect(await totalOf(store, { serverInstanceName: 'one too many' })).toBe(16);
    expect(await totalOf(store, { serverInstanceName: 'SQL2', databaseName: 'a' })).toBe(4);
    expect(await fillOf(store)).toBe(0);
    expect(await openDaysOf(store)).toBe(1);
  });

  it('are not made when the events differ from the counts: the day is then read, and a later round tries again', async () => {
    await olderWriter(store).insert(store.tenantId, store.checked(events(24)));
    await foldOf(store);
    await store.query(
      `DELETE FROM audit_event WHERE tenant_id = $1 AND server_instance_name = 'SQL2'`,
      store.tenantId,
    );
    await fillOf(store);
    expect(await openDaysOf(store)).toBe(1);
    expect(await totalOf(store, { serverInstanceName: 'SQL2' })).toBe(0);
    expect(await totalOf(store, { serverInstanceName: 'SQL1' })).toBe(16);
  });

  it('pause between two rounds over the tenants', async () => {
    let nowMs = 1_000_000;
    const filler = new InstanceFiller(store.database.migrator, LOG, 60_000, () => nowMs);
    while ((await filler.run()) > 0);
    await olderWriter(store).insert(store.tenantId, store.checked(events(6)));
    await foldOf(store);
    await filler.run();
    expect(await openDaysOf(store)).toBe(1);
    nowMs += 60_000;
    await filler.run();
    expect(await openDaysOf(store)).toBe(0);
  });
});

describeOnPostgres('a tenant that another instance folds', () => {
  it('is skipped, and counted by instance later', async () => {
    const store = await Store.open('postgresql');
    await olderWriter(store).insert(store.tenantId, store.checked(events(6)));
    await foldOf(store);
    const filler = new InstanceFiller(store.database.migrator, LOG);
    await store.database.owner.models.$transaction(async (tx) => {
      await tx.$executeRawUnsafe('SELECT pg_advisory_xact_lock(702198, $1::int)', store.tenantId);
      expect(await filler.run()).toBe(0);
      expect(await openDaysOf(store)).toBe(1);
    });
    await filler.run();
    expect(await openDaysOf(store)).toBe(0);
    await store.close();
  });
});
