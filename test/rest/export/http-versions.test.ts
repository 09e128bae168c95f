import { send } from '../../http/support/raw';
import { DashboardSession } from '../../support/dashboard-session';
import { ANY_ENGINE } from '../../support/engines';
import { checkAgainstDocument } from '../../support/openapi-check';
import { useWorld } from '../../support/use-world';
import { PATH } from './support';

const BASE = '/api/v1/public';

describe('an export over HTTP/1.0', () => {
  const open = useWorld(ANY_ENGINE);
  const get = (path: string, headers: Readonly<Record<string, string>>, version = '1.0') => {
    const lines = Object.entries({ Host: 'audit', Connection: 'close', ...headers });
    const head = [`GET ${path} HTTP/${version}`, ...lines.map(([name, value]) => `${name}: ${value}`)];
    return send(open.world.service.url, `${head.join('\r\n')}\r\n\r\n`);
  };

  it('is refused with the line of configuration that mends the proxy', async () => {
    const acme = await open.world.tenant();
    const session = await DashboardSession.signIn(open.world, acme.key);
    const cookie = { Cookie: session.cookie, 'X-Dashboard': '1' };
    for (const [path, headers] of [
      [BASE + PATH, { 'X-Api-Key': acme.key }],
      ['/dashboard/api/export', cookie],
    ] as const) {
      const answer = await get(path, headers);
      const { error } = JSON.parse(answer.text);
      expect([answer.status, answer.headers.upgrade, error.code]).toEqual([
        426,
        'HTTP/1.1',
        'upgrade_required',
      ]);
      expect(answer.headers.connection).toBe('Upgrade, close');
      expect(error.message).toContain('proxy_http_version 1.1;');
    }
  });

  it('is refused in the form that the OpenAPI document describes', async () => {
    const { status, headers, text } = await get(BASE + PATH, {});
    const answer = { status, headers: new Headers(headers), text, body: JSON.parse(text) };
    await checkAgainstDocument(open.world, BASE + PATH, 'GET', answer);
  });

  it('is refused, while other calls over HTTP/1.0 are answered', async () => {
    const acme = await open.world.tenant();
    const key = { 'X-Api-Key': acme.key };
    expect((await get(`${BASE}/audit-activity`, key)).status).toBe(200);
    expect((await get('/health', {})).status).toBe(200);
    expect((await get(BASE + PATH, key, '1.1')).status).toBe(200);
  });
});
