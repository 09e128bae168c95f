import { ANY_ENGINE, REDIS_URL } from '../../support/engines';
import { TcpProxy } from '../../support/tcp-proxy';
import { until } from '../../support/until';
import { World } from '../../support/world';

const onRedis = REDIS_URL ? describe : describe.skip;

/** A service that reaches Redis through a proxy. */
async function openBehindProxy() {
  const proxy = await TcpProxy.to(REDIS_URL);
  const world = await World.open(ANY_ENGINE, { redisUrl: proxy.url });
  return { proxy, world };
}

onRedis('Redis lost', () => {
  let proxy: TcpProxy;
  let world: World;
  beforeEach(async () => {
    ({ proxy, world } = await openBehindProxy());
  });
  afterEach(async () => {
    await world.close();
    await proxy.close();
  });
  const health = async () => {
    const { status, text } = await world.fetch('/health');
    return `${status} ${text}`;
  };
  const turns = (to: string) => until(health, (answer) => answer === to);
  const keyOf = async (rate: number) => {
    const { tenantId } = await world.tenant();
    return (await world.key({ tenantIds: [tenantId], rate })).key;
  };
  const call = async (key: string) => (await world.get('/audit-activity', key)).status;
  const logged = (text: string) => world.logLines.filter((line) => line.includes(text)).length;

  describe.each(['cut', 'silence'] as const)('%s', (lose) => {
    it('each instance decides by its own log, which has the calls admitted before', async () => {
      const key = await keyOf(5);
      expect([await call(key), await call(key), await call(key)]).toEqual([200, 200, 200]);
      proxy[lose]();
      expect([await call(key), await call(key), await call(key)]).toEqual([200, 200, 429]);
    });

    it('calls admitted during the outage still count when Redis is back', async () => {
      const key = await keyOf(2);
      proxy[lose]();
      expect([await call(key), await call(key)]).toEqual([200, 200]);
      proxy.mend();
      await turns('200 Healthy');
      expect(await call(key)).toBe(429);
    });

    it('/health answers 200 Degraded, and Healthy when Redis is back, without any calls', async () => {
      expect(await health()).toBe('200 Healthy');
      proxy[lose]();
      await turns('200 Degraded');
      proxy.mend();
      await turns('200 Healthy');
    });

    it('the loss is logged once, and so is the return', async () => {
      const key = await keyOf(100);
      proxy[lose]();
      for (let i = 0; i < 4; i++) expect(await call(key)).toBe(200);
      await turns('200 Degraded');
      expect([logged('redis lost'), logged('redis is back')]).toEqual([1, 0]);
      proxy.mend();
      await turns('200 Healthy');
      for (let i = 0; i < 4; i++) expect(await call(key)).toBe(200);
      expect([logged('redis lost'), logged('redis is back')]).toEqual([1, 1]);
    });
  });

  it('a service starts without Redis, Degraded, and uses Redis later', async () => {
    proxy.cut();
    const alone = await World.open(ANY_ENGINE, { redisUrl: proxy.url });
    try {
      expect((await alone.fetch('/health')).text).toBe('Degraded');
      const { key } = await alone.tenant();
      expect((await alone.get('/audit-activity', key)).status).toBe(200);
      proxy.mend();
      await until(
        () => alone.fetch('/health'),
        ({ text }) => text === 'Healthy',
      );
    } finally {
      await alone.close();
    }
  });
});
