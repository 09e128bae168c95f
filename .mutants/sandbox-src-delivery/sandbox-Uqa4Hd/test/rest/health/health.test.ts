import { ENGINES } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import { expectError } from '../support/operations';

describe.each(ENGINES)('GET /health on %s', (engine) => {
  const at = useWorld(engine);

  it('answers everybody with the plain text Healthy', async () => {
    const { status, text, headers } = await at.world.fetch('/health');
    expect([status, text]).toEqual([200, 'Healthy']);
    expect(headers.get('Content-Type')).toMatch(/^text\/plain\b/);
    expect(headers.get('Cache-Control')).toBe('no-store');
  });

  it('answers the same whatever the Accept header is', async () => {
    for (const Accept of ['application/json', 'text/html', '*/*']) {
      expect((await at.world.fetch('/health', { headers: { Accept } })).text).toBe('Healthy');
    }
  });

  it('answers HEAD too', async () => {
    expect(await at.world.fetch('/health', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  it('refuses other methods', async () => {
    const answer = await at.world.fetch('/health', { method: 'POST' });
    expectError(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('Allow')).toBe('GET, HEAD');
  });

  it('does not count for the rate limit of a key', async () => {
    const { tenantId } = await at.world.tenant();
    const { key } = await at.world.key({ tenantIds: [tenantId], rate: 1 });
    for (let i = 0; i < 5; i++) await at.world.fetch('/health', { headers: { 'X-Api-Key': key } });
    expect((await at.world.get('/audit-activity', key)).status).toBe(200);
  });
});
