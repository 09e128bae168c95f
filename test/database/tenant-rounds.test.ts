import { Folder } from '../../src/store/counts/fold';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { until } from '../support/until';

describe.each(ENGINES)('the folding of one tenant fails on %s', (engine) => {
  let broken: Store;
  let healthy: Store[];
  let folder: Folder;
  beforeAll(async () => {
    broken = await Store.open(engine);
    // Some of them come after the broken one, in whatever order the database tells the tenants.
    healthy = await Promise.all(Array.from({ length: 8 }, () => broken.forNewTenant()));
    folder = new Folder(broken.database.migrator);
    await broken.query(
      `ALTER TABLE audit_count ADD CONSTRAINT refuses_one CHECK (tenant_id <> ${broken.tenantId}) NOT VALID`,
    );
  });
  afterAll(() => broken.close());

  const deltas = async ({ tenantId }: Store) => {
    const [row] = await broken.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM audit_delta WHERE tenant_id = $1',
      tenantId,
    );
    return row?.n;
  };
  const send = (store: Store) => store.insert(store.checked([{ blockOffset: 512 }]));

  it('every other tenant is folded, the failure is told, and the deltas wait', async () => {
    for (const store of [broken, ...healthy]) await send(store);
    await expect(folder.run()).rejects.toThrow('refuses_one');
    expect(await Promise.all(healthy.map(deltas))).toEqual(healthy.map(() => 0));
    expect(await deltas(broken)).toBe(1);
  });

  it('the tenant is folded when the cause is gone', async () => {
    await broken.query('ALTER TABLE audit_count DROP CONSTRAINT refuses_one');
    await until(
      () => folder.run().then(() => deltas(broken)),
      (left) => left === 0,
    );
  });
});
