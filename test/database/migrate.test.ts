import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Database } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { migrate } from '../../src/database/migrate';
import { createEmptyDatabase, describeOnPostgres, ENGINES, type TestDatabase } from '../support/engines';
import { World } from '../support/world';

// Each start of a process or of a new database takes seconds on a busy machine.
jest.setTimeout(180_000);

const FOLDER = path.resolve(__dirname, '../../prisma/migrations');
interface Applied {
  migration_name: string;
  checksum: string;
  applied_steps_count: number;
}
const history = (database: Database) =>
  database.migrator.models.$queryRawUnsafe<Applied[]>(
    `SELECT migration_name, checksum, applied_steps_count FROM _prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`,
  );

/** The history as Prisma's own tool writes it: the folder's name and the file's SHA-256. */
async function expectedHistory(): Promise<Applied[]> {
  const names = (await readdir(FOLDER, { withFileTypes: true }))
    .filter((e) => e.isDirectory())
    .map((e) => e.name);
  return Promise.all(
    names.sort().map(async (migration_name) => {
      const sql = await readFile(path.join(FOLDER, migration_name, 'migration.sql'));
      return {
        migration_name,
        checksum: createHash('sha256').update(sql).digest('hex'),
        applied_steps_count: 1,
      };
    }),
  );
}

describe.each(ENGINES)('migrations on %s', (engine) => {
  let place: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    place = await createEmptyDatabase(engine);
    database = await openDatabase(place);
  });
  afterEach(async () => {
    await database.close();
    await place.drop();
  });

  it('are applied once, in order, and recorded as Prisma records them', async () => {
    const expected = await expectedHistory();
    expect(await migrate(database.migrator)).toEqual(expected.map((row) => row.migration_name));
    expect(await migrate(database.migrator)).toEqual([]);
    expect(await history(database)).toEqual(expected);
  });

  it('stop the start with a clear message if they changed after they were applied', async () => {
    const [first] = await migrate(database.migrator);
    await database.migrator.models.$executeRawUnsafe(
      `UPDATE _prisma_migrations SET checksum = repeat('0', 64)`,
    );
    await expect(migrate(database.migrator)).rejects.toThrow(
      `migration ${first} was changed after it was applied`,
    );
  });

  it('leave nothing behind when they fail, not even their history', async () => {
    await database.migrator.models.$executeRawUnsafe('CREATE TABLE api_key (in_the_way int)');
    await expect(migrate(database.migrator)).rejects.toThrow(/api_key/);
    const left = await database.migrator.models.$queryRawUnsafe<unknown[]>(
      `SELECT relname::text FROM pg_class WHERE relname IN ('tenant', 'audit_event', '_prisma_migrations')`,
    );
    expect(left).toEqual([]);
  });
});

describeOnPostgres('several instances on one PostgreSQL', () => {
  it('may start at the same time on an empty database: all serve, and each migration is applied once', async () => {
    const place = await createEmptyDatabase('postgresql');
    const started = await Promise.allSettled(Array.from({ length: 6 }, () => World.on(place)));
    const worlds = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    try {
      expect(started.filter((result) => result.status === 'rejected')).toEqual([]);
      for (const world of worlds) expect((await world.fetch('/health')).text).toBe('Healthy');
      // All instances use one data folder, so one operator key opens all of them.
      expect(new Set(worlds.map((world) => world.operatorKey)).size).toBe(1);
      const tenant = await worlds[0]?.tenant('Shared');
      for (const world of worlds) {
        expect((await world.operate('{ tenants { tenantId } }')).tenants).toEqual([
          { tenantId: tenant?.tenantId },
        ]);
      }
      const database = await openDatabase(place);
      expect(await history(database)).toEqual(await expectedHistory());
      await database.close();
    } finally {
      for (const world of worlds) await world.service.close();
      await place.drop();
    }
  });

  it('refuse to start on a database whose migrations have changed, and say so', async () => {
    const place = await createEmptyDatabase('postgresql');
    const database = await openDatabase(place);
    await migrate(database.migrator);
    await database.migrator.models.$executeRawUnsafe(`UPDATE _prisma_migrations SET checksum = 'x'`);
    await database.close();
    await expect(World.on(place)).rejects.toThrow('was changed after it was applied');
    await place.drop();
  });
});
