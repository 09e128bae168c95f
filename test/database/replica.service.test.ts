import { Client } from 'pg';
import {
  createEmptyDatabase,
  createTestDatabase,
  describeOnPostgres,
  type TestDatabase,
} from '../support/engines';
import { World } from '../support/world';

/** Runs statements on a database. */
async function on(url: string | null, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url ?? '' });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const nameOf = (place: TestDatabase) => new URL(place.databaseUrl ?? '').pathname.slice(1);

/**
 * Stands in for a replica: a copy of the database at this moment. Later differences show which of the two was asked.
 */
async function copyOf(place: TestDatabase): Promise<TestDatabase> {
  const copy = await createTestDatabase('postgresql');
  await on(
    process.env.TEST_DATABASE_URL ?? '',
    `DROP DATABASE ${nameOf(copy)}`,
    // Recently closed connections may still exist, and a template database must have none.
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameOf(place)}'`,
    `CREATE DATABASE ${nameOf(copy)} TEMPLATE ${nameOf(place)}`,
  );
  return copy;
}

describeOnPostgres('READ_DATABASE_URL', () => {
  let place: TestDatabase;
  let copy: TestDatabase;
  let recordId: string;
  let key: string;
  beforeAll(async () => {
    place = await createTestDatabase('postgresql');
    const before = await World.on(place);
    const acme = await before.tenant();
    key = acme.key;
    await acme.audited({ objectName: 'Old' });
    recordId = (await acme.get('/audit-activity')).body.data[0].recordId;
    await before.service.close();
    copy = await copyOf(place);
    await on(copy.databaseUrl, `UPDATE audit_event SET object_name = 'OfTheReplica'`);
  });
  afterAll(async () => {
    await copy.drop();
    await place.drop();
  });
  const open = (readDatabaseUrl: string | null) => World.on(place, { readDatabaseUrl });
  const list = async (world: World) => (await world.get('/audit-activity', key)).body;

  it('sends lists, summaries and details to the replica, and everything else to the primary', async () => {
    const world = await open(copy.databaseUrl);
    try {
      expect((await list(world)).data.map((e: { objectName: string }) => e.objectName)).toEqual([
        'OfTheReplica',
      ]);
      const other = await world.tenant('Other');
      await other.audited();
      // The primary has the new key, tenant and event. The copy never gets them.
      expect((await other.get('/audit-activity')).body.meta.totalCount).toBe(0);
      expect((await other.get('/audit-activity/summary')).body.data.totalCount).toBe(0);
      expect((await world.get(`/audit-activity/${recordId}`, key)).body.data.objectName).toBe('OfTheReplica');
      expect((await world.fetch('/health')).text).toBe('Healthy');
    } finally {
      await world.service.close();
    }
  });

  it('answers a detail that has not reached the replica from the primary', async () => {
    const world = await open(copy.databaseUrl);
    try {
      const other = await world.tenant('Late');
      await other.audited({ objectName: 'New' });
      const direct = await open(null);
      const [event] = (await direct.get('/audit-activity', other.key)).body.data;
      await direct.service.close();
      expect((await other.get(`/audit-activity/${event.recordId}`)).body.data.objectName).toBe('New');
    } finally {
      await world.service.close();
    }
  });

  it('answers from the primary while the replica is lost, and reports Degraded', async () => {
    const gone = new URL(copy.databaseUrl ?? '');
    gone.port = '1';
    const world = await open(gone.href);
    try {
      expect((await list(world)).data.map((e: { objectName: string }) => e.objectName)).toEqual(['Old']);
      expect((await world.fetch('/health')).text).toBe('Degraded');
    } finally {
      await world.service.close();
    }
  });

  it('changes to the primary when it loses the replica while it runs', async () => {
    const lost = await copyOf(place);
    const world = await open(lost.databaseUrl);
    try {
      expect((await list(world)).meta.totalCount).toBe(1);
      await lost.drop();
      expect((await list(world)).data.map((e: { objectName: string }) => e.objectName)).toEqual(['Old']);
    } finally {
      await world.service.close();
    }
  });

  it('does not start with a database that is no replica of the primary, since its answers would be wrong', async () => {
    const stranger = await createEmptyDatabase('postgresql');
    const world = await World.on(stranger);
    await world.service.close();
    await expect(open(stranger.databaseUrl)).rejects.toThrow('no replica of DATABASE_URL');
    await stranger.drop();
  });

  it('reads from the primary until the migrations have reached the replica', async () => {
    const behind = await createEmptyDatabase('postgresql');
    const world = await open(behind.databaseUrl);
    try {
      expect((await list(world)).meta.totalCount).toBe(1);
    } finally {
      await world.service.close();
      await behind.drop();
    }
  });
});
