import { LIMITS } from '../../src/limits';
import { Folder } from '../../src/store/counts/fold';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';

const REST_MS = 60_000;

describe.each(ENGINES)('the turns of folding on %s', (engine) => {
  let base: Store;
  let store: Store;
  let folder: Folder;
  let nowMs = 0;
  let sent = 0;
  beforeAll(async () => {
    base = await Store.open(engine);
  });
  beforeEach(async () => {
    store = await base.forNewTenant();
    nowMs = 0;
    folder = new Folder(store.database.migrator, REST_MS, () => nowMs);
  });
  afterAll(() => base.close());

  /** Stores events of as many statements and logins, so that each makes a delta of its own. */
  const send = (count: number) =>
    store.insert(
      store.checked(
        Array.from({ length: count }, () => {
          sent += 1;
          return { blockOffset: 512 * sent, serverPrincipalName: `login ${sent}` };
        }),
      ),
    );
  const deltas = async () => {
    const [row] = await store.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM audit_delta WHERE tenant_id = $1',
      store.tenantId,
    );
    return row?.n;
  };

  it('first batches are folded at once, further ones together after a rest', async () => {
    await send(2);
    await folder.run();
    expect(await deltas()).toBe(0);

    for (const waiting of [3, 6, 9]) {
      nowMs += REST_MS / 4;
      await send(3);
      await folder.run();
      expect(await deltas()).toBe(waiting);
    }
    nowMs += REST_MS / 4;
    await send(1);
    await folder.run();
    expect(await deltas()).toBe(0);
  });

  it('when no more batches come, those that wait are folded at the next look', async () => {
    await send(1);
    await folder.run();
    await send(2);
    await folder.run();
    expect(await deltas()).toBe(2);
    await folder.run();
    expect(await deltas()).toBe(0);
  });

  it('many deltas are folded without a rest', async () => {
    await send(1);
    await folder.run();
    await send(LIMITS.foldDeltas - 1);
    await folder.run();
    expect(await deltas()).toBe(LIMITS.foldDeltas - 1);
    await send(1);
    await folder.run();
    expect(await deltas()).toBe(0);
  });

  it('no tenant waits for the rest of another', async () => {
    await send(1);
    await folder.run();
    const resting = store;
    await send(2);
    store = await base.forNewTenant();
    await send(3);
    await folder.run();
    expect(await deltas()).toBe(0);
    store = resting;
    expect(await deltas()).toBe(2);
  });
});
