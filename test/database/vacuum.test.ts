import { vacuum } from '../../src/database/embedded';
import { Folder } from '../../src/store/counts/fold';
import { Store } from '../support/store';

const ROUNDS = 20;
const SIZE = `SELECT pg_relation_size('audit_delta')::int AS n`;

it('the embedded engine frees the space of folded counts', async () => {
  const store = await Store.open('embedded');
  const { owner } = store.database;
  for (let round = 0; round < ROUNDS; round++) {
    const logins = Array.from({ length: 50 }, (_, i) => ({ serverPrincipalName: `login-${round}-${i}` }));
    await store.insert(store.checked(logins));
    await new Folder(owner).run();
  }
  const sizeOf = async () => (await store.query<{ n: number }>(SIZE))[0]?.n;
  expect(await sizeOf()).toBeGreaterThan(0);
  await vacuum(owner);
  expect(await sizeOf()).toBe(0);
  await store.close();
});

it('the embedded engine vacuums each table from which rows were removed, whichever table it is', async () => {
  const store = await Store.open('embedded');
  const bytesOf = async (table: string) =>
    (await store.query<{ n: number }>(`SELECT pg_relation_size('${table}')::int AS n`))[0]?.n;
  for (const [table, rows] of [
    ['new_one', 500],
    ['"Another One"', 60],
  ] as const) {
    await store.query(`CREATE TABLE ${table} (n int)`);
    await store.query(`INSERT INTO ${table} SELECT generate_series(1, ${rows})`);
    await store.query(`DELETE FROM ${table}`);
    expect(await bytesOf(table)).toBeGreaterThan(0);
  }
  await vacuum(store.database.owner);
  expect(await Promise.all([bytesOf('new_one'), bytesOf('"Another One"')])).toEqual([0, 0]);
  await store.close();
});
