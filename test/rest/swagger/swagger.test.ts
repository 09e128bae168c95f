import { ANY_ENGINE } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import { expectError } from '../support/operations';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

// These answers do not depend on the database, so one engine is enough.
describe('/swagger', () => {
  const at = useWorld(ANY_ENGINE);
  const accepting = (Accept: string) => at.world.fetch('/swagger', { headers: { Accept } });

  it.each(['*/*', 'application/json', 'application/json, text/html', 'application/*', 'image/png'])(
    'gives the OpenAPI 3.1 document to a program (Accept: %s)',
    async (accept) => {
      const { status, headers, body } = await accepting(accept);
      expect(status).toBe(200);
      expect(headers.get('Content-Type')).toMatch(/^application\/json\b/);
      expect(body.openapi).toMatch(/^3\.1\./);
    },
  );

  it.each([BROWSER, 'text/html'])('gives a page to a browser (Accept: %s)', async (accept) => {
    const { status, headers, text } = await accepting(accept);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toMatch(/^text\/html\b/);
    expect(headers.get('Vary')).toMatch(/\bAccept\b/);
    expect(text).toContain('id="swagger-ui"');
  });

  it('serves everything that the page loads, and the page loads nothing from elsewhere', async () => {
    const { text } = await accepting(BROWSER);
    const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url ?? '');
    expect(loaded.length).toBeGreaterThanOrEqual(3);
    for (const url of loaded) {
      expect(url).toMatch(/^\/swagger\//);
      const { status, headers } = await at.world.fetch(url);
      expect([url, status]).toEqual([url, 200]);
      expect(headers.get('Content-Type')).toMatch(/css|javascript|image/);
    }
  });

  it('loads the document from its own address', async () => {
    const { text } = await at.world.fetch('/swagger/init.js');
    expect(text).toMatch(/url: '\/swagger'/);
    expect(() => new Function(text)).not.toThrow();
  });

  it('permits only its own scripts, and does not make the browser load its parts over HTTPS', async () => {
    const { headers, text } = await accepting(BROWSER);
    const policy = new Map(
      (headers.get('Content-Security-Policy') ?? '').split(';').map((part) => {
        const [name = '', ...values] = part.trim().split(/\s+/);
        return [name, values] as const;
      }),
    );
    expect(policy.get('script-src')).toEqual(["'self'"]);
    expect(policy.get('object-src')).toEqual(["'none'"]);
    expect(policy.has('upgrade-insecure-requests')).toBe(false);
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=/);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  });

  it('needs no key', async () => {
    expect((await at.world.fetch('/swagger')).status).toBe(200);
  });

  it.each(['/swagger', '/swagger/init.js'])('%s takes GET only', async (path) => {
    const answer = await at.world.fetch(path, { method: 'POST' });
    expectError(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('Allow')).toBe('GET, HEAD');
  });

  it('has its files whole where a part is asked for that they do not have', async () => {
    const answer = await at.world.fetch('/swagger/assets/swagger-ui.css', {
      headers: { Range: 'bytes=999999999-' },
    });
    expect([answer.status, answer.headers.get('Content-Range')]).toEqual([200, null]);
  });

  it.each([
    '/swagger/assets/package.json/../../../package.json',
    '/swagger/assets/%2e%2e/express/package.json',
  ])('serves nothing outside its assets: %s', async (path) => {
    expect((await at.world.fetch(path)).status).toBe(404);
  });
});
