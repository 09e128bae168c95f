import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { OpenIdCookie } from '../../src/modules/dashboard/openid-cookie';
import { ChildService } from '../support/child-service';
import { createTestDatabase, type TestDatabase } from '../support/engines';
import { freePort } from '../support/free-port';

jest.setTimeout(300_000);

const SECRET = 'secret of the dashboard';
let database: TestDatabase;
let provider: ChildProcess;
let service: ChildService;
let issuer: string;

beforeAll(async () => {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  provider = spawn(
    process.execPath,
    [path.join(__dirname, 'support/openid-provider.mjs'), `${publicUrl}/dashboard/api/openid/callback`],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  if (!provider.stdout) throw new Error('no output');
  [issuer] = (await once(provider.stdout, 'data')).map((chunk) => String(chunk).trim()) as [string];
  database = await createTestDatabase('embedded');
  service = await ChildService.start({
    PORT: String(port),
    DATA_DIR: database.dataDir,
    PUBLIC_URL: publicUrl,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'dashboard',
    OIDC_CLIENT_SECRET: SECRET,
  });
  await service.graphql(service.operatorKey, 'mutation { createTenant(name: "Acme") { tenantId } }');
});
afterAll(async () => {
  await service?.stop();
  provider?.kill();
  await database?.drop();
});

/** A browser with redirects and cookies only. Each origin has its own cookies. */
class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly visited: string[] = [];
  /** Changes a cookie before the browser stores it. */
  onCookie = (_name: string, value: string): string => value;

  async get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const Cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { Cookie, ...headers } });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split(/=(.*)/s);
      if (value === '' || /expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, this.onCookie(name, value));
    }
    return response;
  }

  /** Follows redirects up to a view. @param as who signs in at the provider; '' cancels @returns the view */
  async signIn(as: string, to = ''): Promise<string> {
    let url = `${service.url}/dashboard/api/openid/start${to && `?to=${encodeURIComponent(to)}`}`;
    for (let hops = 0; hops < 10; hops++) {
      const response = await this.get(url);
      const location = response.headers.get('Location');
      if (!location) throw new Error(`${response.status} at ${url}: ${await response.text()}`);
      const next = new URL(location, url);
      this.visited.push(next.href);
      if (next.pathname.startsWith('/interaction/')) next.searchParams.set('as', as);
      if (next.origin === new URL(service.url).origin && !next.pathname.startsWith('/dashboard/api'))
        return next.pathname + next.search;
      url = next.href;
    }
    throw new Error('too many redirects');
  }

  /** @returns the names of the cookies that a site has set and not removed */
  cookies(url: string): string[] {
    return [...(this.#cookies.get(new URL(url).origin)?.keys() ?? [])];
  }

  async session() {
    const response = await this.get(`${service.url}/dashboard/api/session`, { 'X-Dashboard': '1' });
    return { status: response.status, body: await response.json() };
  }
}

describe('sign-in by OpenID Connect', () => {
  it('is offered on the page', async () => {
    const response = await fetch(`${service.url}/dashboard/api/sign-in`);
    expect(await response.json()).toEqual({ key: true, openId: true });
  });

  it('admits an analyst to the existing tenants of the claim, and opens the requested view', async () => {
    const browser = new Browser();
    expect(await browser.signIn('ada', '/dashboard/explore?search=a%20b')).toBe(
      '/dashboard/explore?search=a%20b',
    );
    expect(browser.cookies(service.url)).toEqual(['audit_activity_session']);
    expect(await browser.session()).toMatchObject({
      status: 200,
      body: {
        kind: 'public',
        name: 'ada (ada)',
        signedInBy: 'openId',
        tenants: [{ tenantId: '1', name: 'Acme' }],
        scopes: expect.arrayContaining(['read:audit-activity']),
      },
    });
  });

  it('admits an operator, who has no tenants to read', async () => {
    const browser = new Browser();
    expect(await browser.signIn('grace')).toBe('/dashboard');
    const { body } = await browser.session();
    expect(body).toMatchObject({
      kind: 'operator',
      name: 'grace@example.com (grace)',
      tenants: [],
      scopes: [],
    });
  });

  it.each([
    ['nobody', 'no_role'],
    ['homeless', 'no_tenants'],
    ['', 'cancelled'],
    ['forged', 'failed'],
  ])('does not admit %j: %s', async (as, reason) => {
    const browser = new Browser();
    expect(await browser.signIn(as)).toBe(`/dashboard/sign-in?refused=${reason}`);
    expect((await browser.session()).status).toBe(401);
  });

  it.each([
    '//evil.example/',
    'https://evil.example/dashboard',
    '/\\evil.example',
    '/swagger',
    '/dashboards',
    '/dashboard/api/session',
  ])('never redirects to another place afterwards: %s', async (to) => {
    expect(await new Browser().signIn('grace', to)).toBe('/dashboard');
  });

  it('refuses an answer that this browser did not ask for, and a repeated answer', async () => {
    const victim = new Browser();
    const attacker = new Browser();
    await attacker.signIn('ada');
    const callback = attacker.visited.find((url) => url.includes('/openid/callback')) ?? '';
    expect(callback).toContain('code=');
    for (const browser of [victim, attacker]) {
      const response = await browser.get(callback);
      expect(response.headers.get('Location')).toBe('/dashboard/sign-in?refused=failed');
    }
    expect((await victim.session()).status).toBe(401);
    await victim.get(`${service.url}/dashboard/api/openid/start`);
    const crossed = await victim.get(callback);
    expect(crossed.headers.get('Location')).toBe('/dashboard/sign-in?refused=failed');
  });

  it('refuses a cookie that was changed or made elsewhere, and a cookie cannot redirect to another site', async () => {
    const changed = async (change: (value: string) => string): Promise<string> => {
      const browser = new Browser();
      browser.onCookie = (name, value) => (name === 'audit_activity_openid' ? change(value) : value);
      return browser.signIn('grace').catch(String);
    };
    const leadingAway = (value: string) => {
      const sealed = JSON.parse(Buffer.from(value.split('.')[0] ?? '', 'base64url').toString());
      return { ...sealed.pending, to: 'https://evil.example/' };
    };
    const signed = (secret: string) => (value: string) =>
      new OpenIdCookie({ publicUrl: service.url, clientSecret: secret }).seal(leadingAway(value));
    const unsigned = (value: string) => Buffer.from(JSON.stringify(leadingAway(value))).toString('base64url');
    for (const change of [unsigned, signed('another secret'), (value: string) => `${value}x`])
      expect(await changed(change)).toBe('/dashboard/sign-in?refused=failed');
    expect(await changed(signed(SECRET))).toBe('/dashboard');
  });

  it('never reveals the client secret, and uses PKCE, state and nonce', async () => {
    const browser = new Browser();
    await browser.signIn('ada');
    expect(browser.visited.join()).not.toContain(encodeURIComponent(SECRET));
    const asked = new URL(browser.visited[0] ?? '').searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked.get(name)).toMatch(/^[\w-]{43}$/);
  });
});
