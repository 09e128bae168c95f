import { accessLog } from '../support/access-log';
import { cookieOf, DashboardSession, signIn } from '../support/dashboard-session';
import { ONE_ENGINE } from '../support/engines';
import { until } from '../support/until';
import { useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';

const TOTAL = '{ auditEvents { totalCount } }';
const TENANTS = '{ tenants { tenantId } }';
const code = ({ body }: { body: { error: { code: string } } }) => body.error.code;
const graphqlCode = ({ body }: { body: { errors: { extensions: { code: string } }[] } }) =>
  body.errors[0]?.extensions.code;

describe.each(ONE_ENGINE)('a dashboard session on %s', (engine) => {
  useLimits({ accessLogViewMs: 1_200 });
  const open = useWorld(engine, { trustProxy: ['loopback'] });

  it('has the tenants and scopes of its public key, and no others', async () => {
    const { world } = open;
    const [acme, other] = [await world.tenant('Acme'), await world.tenant('Other')];
    await acme.audited();
    await other.audited();
    const { keyId, key } = await world.key({ name: 'Analyst', tenantIds: [acme.tenantId] });
    const session = await DashboardSession.signIn(world, key);
    const who = await session.fetch('/dashboard/api/session');
    expect(who.body).toMatchObject({
      kind: 'public',
      name: 'Analyst',
      signedInBy: 'key',
      tenants: [{ tenantId: acme.tenantId, name: 'Acme' }],
      scopes: ['read:audit-activity'],
    });
    const { body } = await session.graphql('{ auditEvents { totalCount items { tenantId } } }');
    expect(body.data.auditEvents).toEqual({ totalCount: 1, items: [{ tenantId: acme.tenantId }] });
    expect(graphqlCode(await session.graphql(TENANTS))).toBe('forbidden');
    await world.operate('mutation($keyId: String!) { revokeApiKey(keyId: $keyId) { keyId } }', { keyId });
    expect((await session.fetch('/dashboard/api/session')).status).toBe(401);
    expect(graphqlCode(await session.graphql(TOTAL))).toBe('unauthorized');
  });

  it("administers and cannot read events if it is an operator's", async () => {
    const session = await DashboardSession.signIn(open.world, open.world.operatorKey);
    const { body } = await session.fetch('/dashboard/api/session');
    expect(body).toMatchObject({ kind: 'operator', tenants: [], scopes: [] });
    expect((await session.graphql(TENANTS)).body.errors).toBeUndefined();
    expect(graphqlCode(await session.graphql(TOTAL))).toBe('forbidden');
  });

  it('ends with its cookie when it is signed out', async () => {
    const session = await DashboardSession.signIn(open.world, open.world.operatorKey);
    const out = await session.fetch('/dashboard/api/sign-out', { method: 'POST' });
    expect([out.status, out.headers.get('Set-Cookie')]).toEqual([
      204,
      expect.stringContaining('Expires=Thu, 01 Jan 1970'),
    ]);
    expect((await session.fetch('/dashboard/api/session')).status).toBe(401);
    expect(graphqlCode(await session.graphql(TENANTS))).toBe('unauthorized');
  });

  it('has a cookie that scripts cannot read and other sites cannot send', async () => {
    const { world } = open;
    const plain = (await signIn(world, world.operatorKey)).headers.get('Set-Cookie');
    expect(plain).toMatch(
      /^audit_activity_session=[\w-]{43}; Max-Age=43200; .*Path=\/; .*HttpOnly; SameSite=Strict$/,
    );
    const https = await signIn(world, world.operatorKey, { 'X-Forwarded-Proto': 'https' });
    expect(https.headers.get('Set-Cookie')).toMatch(
      /^__Host-audit_activity_session=.*HttpOnly; Secure; SameSite=Strict$/,
    );
    const headers = { 'X-Dashboard': '1', Cookie: cookieOf(https) };
    expect((await world.fetch('/dashboard/api/session', { headers })).status).toBe(401);
    const behindProxy = { ...headers, 'X-Forwarded-Proto': 'https' };
    expect((await world.fetch('/dashboard/api/session', { headers: behindProxy })).status).toBe(200);
  });

  it.each([
    ['without the header of the dashboard', { 'X-Dashboard': undefined }],
    ['from another origin', { Origin: 'https://evil.example' }],
    ['from an origin without a name', { Origin: 'null' }],
    ['from another site, as the browser says', { 'Sec-Fetch-Site': 'same-site' }],
  ])('is refused %s', async (_name, changes) => {
    const { world } = open;
    const session = await DashboardSession.signIn(world, world.operatorKey);
    const merged = {
      'Content-Type': 'application/json',
      'X-Dashboard': '1',
      Cookie: session.cookie,
      ...changes,
    };
    const headers = Object.fromEntries(
      Object.entries(merged).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
    const query = { method: 'POST', headers, body: JSON.stringify({ query: TENANTS }) };
    expect(graphqlCode(await world.fetch('/graphql', query))).toBe('forbidden');
    expect(code(await world.fetch('/dashboard/api/session', { headers }))).toBe('forbidden');
    expect(code(await world.fetch('/dashboard/api/sign-out', { method: 'POST', headers }))).toBe('forbidden');
    const body = JSON.stringify({ key: world.operatorKey });
    expect(code(await world.fetch('/dashboard/api/sign-in', { method: 'POST', headers, body }))).toBe(
      'forbidden',
    );
    expect((await session.fetch('/dashboard/api/session')).status).toBe(200);
  });

  it('accepts requests that name its own origin', async () => {
    const session = await DashboardSession.signIn(open.world, open.world.operatorKey);
    const headers = { Origin: open.world.service.url, 'Sec-Fetch-Site': 'same-origin' };
    expect((await session.graphql(TENANTS, {}, headers)).status).toBe(200);
  });

  it('refuses requests that also have an API key', async () => {
    const session = await DashboardSession.signIn(open.world, open.world.operatorKey);
    const both = await session.graphql(TENANTS, {}, { 'X-Api-Key': open.world.operatorKey });
    expect([both.status, graphqlCode(both)]).toEqual([400, 'invalid_parameter']);
  });

  it('cannot begin with a wrong key, an agent key or a malformed body', async () => {
    const { world } = open;
    const acme = await world.tenant();
    const mistyped = acme.key.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect(code(await signIn(world, mistyped))).toBe('unauthorized');
    expect(code(await signIn(world, acme.agentKey))).toBe('forbidden');
    for (const key of [undefined, 7, ['x']]) expect(code(await signIn(world, key))).toBe('invalid_parameter');
    const headers = { 'Content-Type': 'application/json', 'X-Dashboard': '1' };
    const broken = { method: 'POST', headers, body: '{' };
    expect(code(await world.fetch('/dashboard/api/sign-in', broken))).toBe('invalid_parameter');
    const long = { method: 'POST', headers, body: JSON.stringify({ key: 'x'.repeat(10_000) }) };
    expect(code(await world.fetch('/dashboard/api/sign-in', long))).toBe('invalid_parameter');
  });

  it('never has its token in the log', async () => {
    const { world } = open;
    const session = await DashboardSession.signIn(world, world.operatorKey);
    const token = session.cookie.split('=')[1] ?? '';
    expect(token).toHaveLength(43);
    expect(world.logLines.join('')).not.toContain(token);
  });

  it('is recorded in the access log with the entrance dashboard', async () => {
    const { world } = open;
    const acme = await world.tenant();
    const session = await DashboardSession.signIn(world, acme.key);
    await session.graphql(TOTAL);
    const written = () => accessLog(world, { keyId: acme.keyId });
    const entries = await until(written, ({ length }) => length === 2);
    expect(entries.map(({ operation, entrance }) => [operation, entrance])).toEqual([
      ['auditEvents', 'dashboard'],
      ['signIn', 'dashboard'],
    ]);
  });

  it('has one entry for a view in the access log, which is found by each of its operations', async () => {
    const { world } = open;
    const acme = await world.tenant();
    const session = await DashboardSession.signIn(world, acme.key);
    const filter = '"objectName:Payroll"';
    await session.graphql(`{ auditHistogram(filter: ${filter}) { bucketSeconds } }`);
    await session.graphql(`{ auditEvents(filter: ${filter}, pageSize: 3) { totalCount } }`);
    const of = (operation: string) => accessLog(world, { keyId: acme.keyId, operation });
    const [entry, ...others] = await until(
      () => of('auditHistogram'),
      ({ length }) => length > 0,
    );
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ operation: 'auditEvents', entrance: 'dashboard' });
    expect(JSON.parse(entry?.parameters ?? '')).toEqual({
      filter: 'objectName:Payroll',
      pageSize: 3,
      with: { auditHistogram: [{}] },
    });
    expect(await of('auditEvents')).toEqual([entry]);
    expect(await of('auditFacets')).toEqual([]);
  });
});
