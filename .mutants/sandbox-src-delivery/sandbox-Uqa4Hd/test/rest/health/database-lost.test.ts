import { createTestDatabase, describeOnPostgres } from '../../support/engines';
import { TcpProxy } from '../../support/tcp-proxy';
import { until } from '../../support/until';
import { World } from '../../support/world';

describeOnPostgres('GET /health without the database', () => {
  let proxy: TcpProxy;
  let world: World;
  beforeAll(async () => {
    const database = await createTestDatabase('postgresql');
    proxy = await TcpProxy.to(database.databaseUrl);
    world = await World.on({ ...database, databaseUrl: proxy.url });
  });
  afterAll(async () => {
    await world.close();
    await proxy.close();
  });
  const health = () => world.fetch('/health');

  it.each(['cut', 'silence'] as const)(
    '%s: answers 503 Unhealthy within 5 seconds, and Healthy when the database is back, without a restart',
    async (lose) => {
      expect(await health()).toMatchObject({ status: 200, text: 'Healthy' });
      proxy[lose]();
      const start = performance.now();
      const answer = await health();
      expect(answer).toMatchObject({ status: 503, text: 'Unhealthy' });
      expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain\b/);
      // Five seconds are promised. The rest is for a busy machine.
      expect(performance.now() - start).toBeLessThan(10_000);
      proxy.mend();
      await until(health, ({ status, text }) => status === 200 && text === 'Healthy');
    },
  );

  it('answers 503 to a key that it cannot look up, not 401', async () => {
    const { key } = await world.tenant();
    proxy.cut();
    expect((await world.get('/audit-activity', key)).status).toBe(503);
    // A malformed key is recognized without the database.
    expect((await world.get('/audit-activity', 'secret')).status).toBe(401);
    proxy.mend();
  });

  it('still serves the API description', async () => {
    proxy.cut();
    expect((await world.fetch('/swagger')).status).toBe(200);
    proxy.mend();
  });
});
