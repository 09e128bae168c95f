import { distribute } from '../../src/database/distribute/distribute';
import { migrate } from '../../src/database/migrate';
import { tenantsOrNone } from '../../src/tenant-set';
import { installCitusStub } from '../support/citus-stub';
import { createTestDatabase, describeOnPostgres } from '../support/engines';
import { Store } from '../support/store';

const COUNT = 'SELECT count(*)::int AS n FROM audit_event';

describeOnPostgres('row-level security on a stand-in for Citus', () => {
  let store: Store;
  beforeAll(async () => {
    const place = await createTestDatabase('postgresql');
    await installCitusStub(place.databaseUrl);
    const before = await Store.on(place);
    await distribute(before.database.migrator, () => migrate(before.database.migrator), null);
    await before.disconnect();
    store = await Store.on(place);
  });
  afterAll(() => store.close());
  const asked = (text: string, tenants: readonly number[]) =>
    store.database.service.run(text, [], tenantsOrNone(tenants));

  it('has policies without sub-selects, because a distributed table refuses those', async () => {
    const found = await store.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_policies WHERE policyname = 'tenants' AND qual NOT LIKE '%SELECT%'`,
    );
    const all = await store.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_policies WHERE policyname = 'tenants'`,
    );
    expect(found).toEqual(all);
  });

  it('names the tenants in a transaction, by the only statement that passes them to the nodes', async () => {
    const other = await store.forNewTenant();
    for (const each of [store, other]) await each.insert(each.checked([{}]));
    expect(await asked(COUNT, [store.tenantId])).toEqual([{ n: 1 }]);
    expect(await asked(COUNT, [store.tenantId, other.tenantId])).toEqual([{ n: 2 }]);
    expect(await asked(COUNT, [])).toEqual([{ n: 0 }]);
    // This statement fails outside of a transaction block.
    expect(await asked('SAVEPOINT x', [store.tenantId])).toEqual([]);
    expect(await asked(`SELECT current_setting('citus.propagate_set_commands') AS how`, [])).toEqual([
      { how: 'local' },
    ]);
  });

  it('leaves no tenants set on a connection after a statement fails', async () => {
    const failing = () => asked('SELECT 1 / (SELECT 0 FROM audit_event LIMIT 1)', [store.tenantId]);
    await expect(Promise.all(Array.from({ length: 12 }, failing))).rejects.toThrow('division by zero');
    const after = Array.from({ length: 12 }, () => store.database.service.models.$queryRawUnsafe(COUNT));
    expect(await Promise.all(after)).toEqual(Array(12).fill([{ n: 0 }]));
  });
});
