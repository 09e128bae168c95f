import { ENGINES, REDIS_URL } from '../../support/engines';
import { until } from '../../support/until';
import { World } from '../../support/world';

const withServers = ENGINES.includes('postgresql') && REDIS_URL ? describe : describe.skip;
const LIMIT = 60;

withServers('two instances on one PostgreSQL and one Redis', () => {
  let one: World;
  let two: World;
  beforeAll(async () => {
    const settings = { redisUrl: REDIS_URL, rateLimitPerMinute: LIMIT };
    one = await World.open('postgresql', settings);
    two = await World.on(one.database, settings);
  });
  afterAll(async () => {
    await two.service.close();
    await one.close();
  });

  it('admit 60 calls of a key together, not 60 each', async () => {
    const { key } = await one.tenant();
    const answers = await Promise.all(
      Array.from({ length: 2 * LIMIT }, (_, i) => (i % 2 ? one : two).get('/audit-activity', key)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(LIMIT);
    for (const world of [one, two]) expect((await world.get('/audit-activity', key)).status).toBe(429);
  });

  it('count down the remaining calls together', async () => {
    const { tenantId } = await one.tenant();
    const { key } = await one.key({ tenantIds: [tenantId], rate: 4 });
    const left = [];
    for (const world of [one, two, two, one]) {
      const { headers } = await world.get('/audit-activity/summary', key);
      left.push(/r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]);
    }
    expect(left).toEqual(['3', '2', '1', '0']);
  });

  it("count each key's calls separately", async () => {
    const { tenantId } = await one.tenant();
    const [spent, fresh] = [
      await one.key({ tenantIds: [tenantId], rate: 1 }),
      await one.key({ tenantIds: [tenantId], rate: 1 }),
    ];
    expect((await one.get('/audit-activity', spent.key)).status).toBe(200);
    expect((await two.get('/audit-activity', spent.key)).status).toBe(429);
    expect((await two.get('/audit-activity', fresh.key)).status).toBe(200);
  });

  it('both refuse a revoked key within seconds, whichever of them revoked it', async () => {
    const { tenantId } = await one.tenant();
    const { key, keyId } = await one.key({ tenantIds: [tenantId], rate: 10_000 });
    expect((await two.get('/audit-activity', key)).status).toBe(200);
    await one.operate('mutation($keyId: String!) { revokeApiKey(keyId: $keyId) { keyId } }', { keyId });
    expect((await one.get('/audit-activity', key)).status).toBe(401);
    await until(
      () => two.get('/audit-activity', key),
      ({ status }) => status === 401,
    );
  });
});
