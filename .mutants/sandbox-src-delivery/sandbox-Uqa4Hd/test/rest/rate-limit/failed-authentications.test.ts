import { newKey } from '../../../src/caller/key-format';
import { LIMITS } from '../../../src/limits';
import { ONE_ENGINE } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import { expectError } from '../support/operations';

describe.each(ONE_ENGINE)('failed authentications of one address on %s', (engine) => {
  const at = useWorld(engine);

  it('are limited whatever keys are tried, and a valid key from that address still works at both entrances', async () => {
    const acme = await at.world.tenant();
    const tries = [null, 'secret', acme.key.slice(0, -1), newKey('public')];
    const attempts = Array.from({ length: LIMITS.failedAuthPerMinute + 20 }, (_, i) => {
      return tries[i % tries.length] ?? null;
    });
    const answers = await Promise.all(attempts.map((key) => at.world.get('/audit-activity', key)));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(401), count(429)]).toEqual([LIMITS.failedAuthPerMinute, 20]);

    const refused = await at.world.get('/audit-activity/summary', null);
    expectError(refused, 429, 'rate_limited');
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect((await at.world.graphql('secret', '{ __typename }')).status).toBe(429);

    expect((await acme.get('/audit-activity')).status).toBe(200);
    expect((await acme.ingest([])).rejected).toEqual([]);
  });
});
