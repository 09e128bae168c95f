import Redis from 'ioredis';
import { pino } from 'pino';
import { RedisLimiter, RedisLink } from '../../src/caller/rate-limit/limiter';
import { LIMITS } from '../../src/limits';
import type { Answer } from '../support/answer';
import { DashboardSession } from '../support/dashboard-session';
import { ENGINES, REDIS_URL } from '../support/engines';
import { holdSharedWindows } from '../support/held-windows';
import { World } from '../support/world';

const withServers = ENGINES.includes('postgresql') && REDIS_URL ? describe : describe.skip;
const PREFIX = 'audit-activity:rate:';
const CALLS = LIMITS.sessionCallsPerMinute;
/** The calls that are left for HTTP requests. All calls over HTTP would take long, and a window lasts a minute. */
const LEFT = 3;

const codeOf = ({ body }: Answer): string => body.errors?.[0].extensions.code ?? 'answered';

withServers('the calls of dashboard sessions, on two instances with one Redis', () => {
  let one: World;
  let two: World;
  let redis: Redis;
  let limiter: RedisLimiter;
  beforeAll(async () => {
    holdSharedWindows();
    one = await World.open('postgresql', { redisUrl: REDIS_URL });
    two = await World.on(one.database, { redisUrl: REDIS_URL });
    redis = new Redis(REDIS_URL ?? '');
    const link = new RedisLink(REDIS_URL ?? '', pino({ level: 'silent' }));
    limiter = new RedisLimiter(link);
    await link.connected();
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    redis.disconnect();
    await limiter.close();
    await two.service.close();
    await one.close();
  });

  /** @returns the window that counts the calls of a key's sessions; fails if there are several windows */
  async function windowOf(keyId: string): Promise<string> {
    const names = await redis.keys(`${PREFIX}*${keyId}*`);
    expect(names).toHaveLength(1);
    return names[0]?.slice(PREFIX.length) ?? '';
  }

  it("share one window for all sessions of a key over all instances, and another key's sessions have their own", async () => {
    const acme = await one.tenant();
    const another = await one.key({ tenantIds: [acme.tenantId] });
    const sessions = [
      await DashboardSession.signIn(one, acme.key),
      await DashboardSession.signIn(one, acme.key),
      await DashboardSession.signIn(two, acme.key),
    ];
    const other = await DashboardSession.signIn(two, another.key);
    const call = async (session: DashboardSession) => codeOf(await session.graphql('{ __typename }'));
    for (const session of [...sessions, other]) expect(await call(session)).toBe('answered');

    const window = await windowOf(acme.keyId);
    for (let left: number = CALLS; left > LEFT; ) left = (await limiter.admit(window, CALLS)).remaining;
    for (const session of sessions) expect(await call(session)).toBe('answered');
    for (const session of sessions) {
      const refused = await session.graphql('{ __typename }');
      expect(codeOf(refused)).toBe('rate_limited');
      const wait = Number(refused.headers.get('Retry-After'));
      expect([wait >= 1, wait <= 61]).toEqual([true, true]);
    }
    expect(await call(other)).toBe('answered');
    expect(await windowOf(another.keyId)).not.toBe(window);
    // Calls of the public API are counted separately.
    expect((await acme.get('/audit-activity')).status).toBe(200);
  });
});
