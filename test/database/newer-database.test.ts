import { migrate } from '../../src/database/migrate';
import { describeOnPostgres, ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { World } from '../support/world';

const LATER = `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
  VALUES ('later', 'x', '9999_of_a_later_release', now())`;
const REFUSED =
  'A newer release has migrated this database: it has 9999_of_a_later_release, which this release does not know. ' +
  'Start that release or a newer one, or restore a backup from before.';

describe.each(ENGINES)('a database that a newer release has migrated, on %s,', (engine) => {
  it('is refused by an older release, which says what to do', async () => {
    const store = await Store.open(engine);
    await store.database.migrator.models.$executeRawUnsafe(LATER);
    await expect(migrate(store.database.migrator)).rejects.toThrow(REFUSED);
    await store.close();
  });
});

describeOnPostgres('while a newer release migrates the database', () => {
  it('a running service continues, and no older one can start beside it', async () => {
    const world = await World.open('postgresql');
    const acme = await world.tenant();
    const store = await Store.on(world.database, Number(acme.tenantId));
    await store.database.migrator.models.$executeRawUnsafe(LATER);
    await store.disconnect();
    await acme.audited();
    expect((await acme.get('/audit-activity')).body.meta.totalCount).toBe(1);
    expect((await world.fetch('/health')).text).toBe('Healthy');
    await expect(World.on(world.database)).rejects.toThrow(REFUSED);
    await world.close();
  });
});
