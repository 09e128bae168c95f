import { ENGINES } from '../support/engines';
import { Store } from '../support/store';

describe.each(ENGINES)('the steps of a background task on %s', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  afterAll(() => store.close());

  const names = () => store.query<{ name: string }>("SELECT name FROM tenant WHERE name LIKE 'step %'");

  it('take effect together, and not at all when one of them fails', async () => {
    const { owner } = store.database;
    const put = 'INSERT INTO tenant (name) VALUES ($1) RETURNING name';
    await expect(
      owner.steps(async (step) => {
        expect(await step(put, ['step 1'])).toEqual([{ name: 'step 1' }]);
        await step('SELECT 1 / $1::int', [0]);
      }),
    ).rejects.toMatchObject({ code: '22012' });
    expect(await names()).toEqual([]);
    await expect(
      owner.steps(async (step) => {
        await step(put, ['step 2']);
        throw new Error('no more');
      }),
    ).rejects.toThrow('no more');
    expect(await names()).toEqual([]);
    expect(await owner.steps((step) => step(put, ['step 3']))).toEqual([{ name: 'step 3' }]);
    expect(await names()).toEqual([{ name: 'step 3' }]);
  });

  it('see one moment', async () => {
    const [row] = await store.database.owner.steps((step) => step('SHOW transaction_isolation', []));
    expect(row).toEqual({ transaction_isolation: 'repeatable read' });
  });
});
