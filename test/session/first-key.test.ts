import path from 'node:path';
import { firstKeyFile } from '../../src/modules/dashboard/first-key';

describe('the file of the first key', () => {
  const tenants = (counts: (number | Error)[]) => {
    const asked: number[] = [];
    return {
      asked,
      list: async () => {
        const count = counts[asked.length];
        asked.push(asked.length);
        if (count instanceof Error) throw count;
        return Array.from({ length: count ?? 0 }) as never[];
      },
    };
  };

  it('is named until there is a tenant, and never again', async () => {
    const store = tenants([0, 0, 1, 0]);
    const ask = firstKeyFile('data/operator.key', store);
    const named = path.resolve('data/operator.key');
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([named, named, null, null]);
    expect(store.asked).toHaveLength(3);
  });

  it('is not named while the database does not answer, or where this instance has none', async () => {
    const ask = firstKeyFile('/data/operator.key', tenants([new Error('the database is away'), 0]));
    expect([await ask(), await ask()]).toEqual([null, '/data/operator.key']);
    const store = tenants([0]);
    expect(await firstKeyFile(null, store)()).toBeNull();
    expect(store.asked).toEqual([]);
  });
});
