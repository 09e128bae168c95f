import { describeOnPostgres } from '../support/engines';
import { type Attacked, useScene } from '../support/hostile/under-attack';

const CREATE =
  'mutation($id: String!) { createApiKey(name: "slow", tenantIds: [$id], scopes: ["read:audit-activity"], rateLimitPerMinute: 1) { key } }';
const PAGE = { 'Content-Type': 'application/json', 'X-Dashboard': '1' };
/** Few, since they are made within one minute. */
const CALLS = 20;

describeOnPostgres('a key that may make 1 call a minute and signs in to the dashboard', () => {
  const at = useScene();

  it('gets ten calls for all its sessions together, and keeps its own limit on REST', () =>
    at.underAttack(async ({ url, operatorKey, hostile, service }: Attacked) => {
      const { createApiKey } = await service.graphql<{ createApiKey: { key: string } }>(operatorKey, CREATE, {
        id: hostile.tenantId,
      });
      const { key } = createApiKey;
      const signIn = () =>
        fetch(`${url}/dashboard/api/sign-in`, {
          method: 'POST',
          headers: PAGE,
          body: JSON.stringify({ key }),
        });
      const cookies: string[] = [];
      for (let i = 0; i < 2; i++)
        cookies.push((await signIn()).headers.get('Set-Cookie')?.split(';', 1)[0] ?? '');
      const statuses: number[] = [];
      for (let i = 0; i < CALLS; i++) {
        const answer = await fetch(`${url}/graphql`, {
          method: 'POST',
          headers: { ...PAGE, Cookie: cookies[i % 2] ?? '' },
          body: JSON.stringify({ query: '{ auditEvents { totalCount } }' }),
        });
        statuses.push(answer.status);
      }
      // Two of the ten calls were the sign-ins.
      expect(statuses.filter((status) => status === 200)).toHaveLength(8);
      expect(statuses.filter((status) => status === 429)).toHaveLength(CALLS - 8);
      expect((await signIn()).status).toBe(429);
      const rest = () => fetch(`${url}/api/v1/public/audit-activity`, { headers: { 'X-Api-Key': key } });
      expect([(await rest()).status, (await rest()).status]).toEqual([200, 429]);
    }));
});
