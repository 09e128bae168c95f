import { createTestDatabase, REDIS_URL, type TestDatabase } from '../support/engines';
import { Caller } from '../support/faults/caller';
import { NETWORK_FAULTS, TcpProxy } from '../support/tcp-proxy';
import { until } from '../support/until';

(REDIS_URL ? describe : describe.skip)('between the service and Redis', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let caller: Caller;
  beforeAll(async () => {
    database = await createTestDatabase('embedded');
    proxy = await TcpProxy.to(REDIS_URL);
    caller = await Caller.open({ REDIS_URL: proxy.url, DATA_DIR: database.dataDir });
  });
  afterAll(async () => {
    expect(await caller.close()).toEqual([]);
    await proxy.close();
    await database.drop();
  });
  afterEach(() => proxy.mend());
  const health = async () => (await caller.fetch('/health')).text;

  it.each(NETWORK_FAULTS)(
    '%s: no call is refused, and the service uses Redis again by itself',
    async (fault) => {
      await until(health, (text) => text === 'Healthy');
      proxy[fault]();
      for (let round = 0; round < 3; round++) expect(await caller.all()).toEqual([200, 200, 200, 200]);
      expect(proxy.wasMet).toBe(true);
      expect(['Healthy', 'Degraded']).toContain(await health());
      proxy.mend();
      await until(health, (text) => text === 'Healthy');
      expect(caller.problems).toEqual([]);
    },
  );
});
