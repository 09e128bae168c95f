import { ONE_ENGINE } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import { expectError } from '../support/operations';

describe.each(ONE_ENGINE)('404 of paths that do not exist on %s', (engine) => {
  const at = useWorld(engine);

  it.each([
    '/',
    '/api',
    '/api/v1/public',
    '/api/v1/public/audit-activities',
    '/api/v1/public/AUDIT-ACTIVITY',
    '/api/v1/public/audit-activity/summary/2026',
    '/api/v1/audit-activity',
    '/api/v2/public/audit-activity',
    '/audit-activity',
    '/Health',
    '/health/live',
    '/swagger/assets/none.js',
    '/favicon.ico',
  ])('%s, with a key and without', async (path) => {
    const { key } = await at.world.tenant();
    for (const headers of [{}, { 'X-Api-Key': key }]) {
      expectError(await at.world.fetch(path, { headers }), 404, 'not_found');
    }
  });

  it.each(['compliance', 'reports/log-ons', 'reports/runs'])(
    '/api/v1/public/%s, even with every scope',
    async (path) => {
      const { tenantId } = await at.world.tenant();
      const { key } = await at.world.key({
        tenantIds: [tenantId],
        scopes: ['read:compliance', 'read:reports'],
      });
      expectError(await at.world.get(`/${path}`, key), 404, 'not_found');
    },
  );

  it('does not repeat the requested path', async () => {
    const { text } = await at.world.fetch('/api/v1/public/<script>alert(1)</script>');
    expect(text).not.toContain('script');
  });

  it('for every method', async () => {
    for (const method of ['POST', 'DELETE', 'OPTIONS']) {
      expectError(await at.world.fetch('/api/v1/public/nothing', { method }), 404, 'not_found');
    }
  });
});
