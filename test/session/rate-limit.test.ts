import { LIMITS } from '../../src/limits';
import { DashboardSession } from '../support/dashboard-session';
import { ENGINES, REDIS_URL } from '../support/engines';
import type { Answer } from '../support/world';
import { World } from '../support/world';

const withServers = ENGINES.includes('postgresql') && REDIS_URL ? describe : describe.skip;
const CALLS = LIMITS.sessionCallsPerMinute;
const AT_ONCE = 50;

const codeOf = ({ body }: Answer): string => body.errors?.[0].extensions.code ?? 'answered';

/** How many of so many calls, by turns of these sessions, came to which end. */
async function callsOf(
  sessions: readonly DashboardSession[],
  count: number,
): Promise<Record<string, number>> {
  const ends: Record<string, number> = {};
  for (let made = 0; made < count; made += AT_ONCE) {
    const calls = Array.from({ length: Math.min(AT_ONCE, count - made) }, (_, i) =>
      sessions[(made + i) % sessions.length]?.graphql('{ __typename }'),
    );
    for (const answer of await Promise.all(calls)) {
      const code = answer ? codeOf(answer) : 'no session';
      ends[code] = (ends[code] ?? 0) + 1;
    }
  }
  return ends;
}

withServers('the calls of dashboard sessions, on two instances with one Redis', () => {
  let one: World;
  let two: World;
  beforeAll(async () => {
    one = await World.open('postgresql', { redisUrl: REDIS_URL });
    two = await World.on(one.database, { redisUrl: REDIS_URL });
  });
  afterAll(async () => {
    await two.service.close();
    await one.close();
  });

  it('have one window for all sessions of a key, on all instances; those of another key have their own', async () => {
    const acme = await one.tenant();
    const { key: otherKey } = await one.key({ tenantIds: [acme.tenantId] });
    const sessions = [
      await DashboardSession.signIn(one, acme.key),
      await DashboardSession.signIn(one, acme.key),
      await DashboardSession.signIn(two, acme.key),
    ];
    const other = await DashboardSession.signIn(two, otherKey);
    // Sign-ins are calls too.
    const ends = await callsOf(sessions, CALLS + 2 * AT_ONCE);
    expect(Object.keys(ends).sort()).toEqual(['answered', 'rate_limited']);
    expect(ends.answered).toBeLessThanOrEqual(CALLS);
    expect(ends.answered).toBeGreaterThanOrEqual(CALLS - 3 * sessions.length);

    for (const session of sessions) {
      const refused = await session.graphql('{ auditEvents { totalCount } }');
      expect(codeOf(refused)).toBe('rate_limited');
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(60);
    }
    expect(codeOf(await other.graphql('{ auditEvents { totalCount } }'))).toBe('answered');
    // The key's own window, of the public contract, is another one.
    expect((await acme.get('/audit-activity')).status).toBe(200);
  });
});
