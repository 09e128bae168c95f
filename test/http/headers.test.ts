import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';

describe('every answer', () => {
  const at = useWorld(ANY_ENGINE);

  it.each([
    ['an answer', '/api/v1/public/audit-activity', true],
    ['a refusal', '/api/v1/public/audit-activity', false],
    ['no such path', '/nothing', false],
    ['/health', '/health', false],
    ['/livez', '/livez', false],
    ['/graphql', '/graphql', false],
    ['a URL that is too long', `/${'x'.repeat(25_000)}`, false],
  ])('%s: has the headers that forbid scripts, framing, embedding and sniffing', async (_, path, withKey) => {
    const { key } = await at.world.tenant();
    const { headers } = await at.world.fetch(path, { headers: withKey ? { 'X-Api-Key': key } : {} });
    expect(headers.get('Content-Security-Policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('X-Frame-Options')).toBe('SAMEORIGIN');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
    expect(headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
    expect(headers.get('X-Powered-By')).toBeNull();
    expect(headers.get('Server')).toBeNull();
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
  });

  it.each(['/swagger', '/swagger/init.js', '/swagger/assets/swagger-ui.css', '/dashboard'])(
    '%s: sets HTTPS for this host only',
    async (path) => {
      const { headers } = await at.world.fetch(path, { headers: { Accept: 'text/html' } });
      expect(headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
    },
  );
});
