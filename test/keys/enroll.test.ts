import { enrollAt } from '../../agent/cli/enroll';
import { aReport, REPORT } from '../support/audit-sources';
import { ENGINES } from '../support/engines';
import { useWorld } from '../support/use-world';

const CREATE = `mutation($t: String!, $u: Int!, $e: String!, $d: Int, $a: [String!]! = []) {
  createEnrollToken(name: "site", tenantId: $t, uses: $u, expiresAt: $e, keyDays: $d, allowedAddresses: $a) { keyId key } }`;
const ENROLL = 'mutation($h: String!) { enrollAgent(hostName: $h) { keyId key tenantId expiresAt } }';
const KEYS = '{ apiKeys { keyId kind name state tenantIds usesLeft enrolledBy prefix } }';
const LATER = '2099-01-01T00:00:00Z';

describe.each(ENGINES)('a token of agents on %s', (engine) => {
  const open = useWorld(engine);
  const make = async (tenantId: string, uses: number, change: object = {}) =>
    (await open.world.operate(CREATE, { t: tenantId, u: uses, e: LATER, ...change })).createEnrollToken;
  const enroll = async (token: string, hostName = 'SQL01') =>
    (await open.world.graphql(token, ENROLL, { h: hostName })).body;
  const codeOf = (body: { errors?: { extensions: { code: string } }[] }) => body.errors?.[0]?.extensions.code;

  it('gives each agent a key of its own, named by its host, which reports for the tenant of the token', async () => {
    const acme = await open.world.tenant();
    const token = await make(acme.tenantId, 2, { d: 90 });
    const { data } = await enroll(token.key, 'SQL07');
    const { key, keyId, tenantId, expiresAt } = data.enrollAgent;
    expect(tenantId).toBe(acme.tenantId);
    const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000;
    expect([days > 89.9, days <= 90]).toEqual([true, true]);
    const report = { report: aReport({ tenantId }) };
    expect((await open.world.graphql(key, REPORT, report)).body.errors).toBeUndefined();
    const { apiKeys } = await open.world.operate(KEYS);
    const of = (id: string) => apiKeys.find((one: { keyId: string }) => one.keyId === id);
    expect(of(keyId)).toMatchObject({
      kind: 'agent',
      name: 'SQL07',
      enrolledBy: token.keyId,
      usesLeft: null,
    });
    expect(of(token.keyId)).toMatchObject({ kind: 'enroll', usesLeft: 1, prefix: token.key.slice(0, 10) });
    const { accessLog } = await open.world.operate(
      'query($t: String) { accessLog(tenantId: $t, first: 9) { entries { operation subject keyId parameters } } }',
      { t: tenantId },
    );
    expect(accessLog.entries).toContainEqual({
      operation: 'enrollAgent',
      subject: keyId,
      keyId: token.keyId,
      parameters: expect.stringContaining('SQL07'),
    });
  });

  it('enrolls as many agents as it has uses, also when all come at once', async () => {
    const acme = await open.world.tenant();
    const token = await make(acme.tenantId, 3);
    const bodies = await Promise.all(Array.from({ length: 7 }, (_, i) => enroll(token.key, `SQL${i}`)));
    expect(bodies.filter((body) => body.data?.enrollAgent)).toHaveLength(3);
    expect(bodies.flatMap((body) => codeOf(body) ?? [])).toEqual(Array(4).fill('forbidden'));
  });

  it('permits nothing else, and works neither after it is revoked or has ended, nor from elsewhere, nor rotated', async () => {
    const acme = await open.world.tenant();
    const token = await make(acme.tenantId, 5);
    const report = { report: aReport({ tenantId: acme.tenantId }) };
    expect(codeOf((await open.world.graphql(token.key, REPORT, report)).body)).toBe('forbidden');
    expect(codeOf((await open.world.graphql(token.key, KEYS)).body)).toBe('forbidden');
    expect((await open.world.get('/audit-activity', token.key)).status).toBe(403);
    expect(codeOf(await enroll(acme.agentKey))).toBe('forbidden');
    expect(codeOf(await enroll(token.key, ' '))).toBe('invalid_parameter');
    const rotate = 'mutation($k: String!) { rotateApiKey(keyId: $k) { keyId } }';
    const rotated = await open.world.graphql(open.world.operatorKey, rotate, { k: token.keyId });
    expect(codeOf(rotated.body)).toBe('invalid_parameter');
    await open.world.operate('mutation($k: String!) { revokeApiKey(keyId: $k) { state } }', {
      k: token.keyId,
    });
    expect(codeOf(await enroll(token.key))).toBe('unauthorized');
    const far = await make(acme.tenantId, 5, { a: ['192.0.2.0/24'] });
    expect(codeOf(await enroll(far.key))).toBe('forbidden');
    const past = await open.world.graphql(open.world.operatorKey, CREATE, {
      t: acme.tenantId,
      u: 1,
      e: '2020-01-01T00:00:00Z',
    });
    expect(codeOf(past.body)).toBe('invalid_parameter');
  });

  it('is exchanged by an agent for a key, and a refusal names the reason and not the token', async () => {
    const acme = await open.world.tenant();
    const token = await make(acme.tenantId, 1);
    const exchange = () => enrollAt(9_000)(`${open.world.service.url}/`, token.key);
    const { key, tenantId } = await exchange();
    expect(tenantId).toBe(acme.tenantId);
    const report = { report: aReport({ tenantId }) };
    expect((await open.world.graphql(key, REPORT, report)).body.errors).toBeUndefined();
    const refused = await exchange().catch((error: Error) => error.message);
    expect(refused).toMatch(/^the token was not exchanged for a key: forbidden: .*HTTP 200/);
    expect(refused).not.toContain(token.key.slice(0, 14));
  });

  it('names no other tenant: the keys that it makes are of its own', async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant()];
    const { data } = await enroll((await make(acme.tenantId, 1)).key);
    const report = { report: aReport({ tenantId: other.tenantId }) };
    const { body } = await open.world.graphql(data.enrollAgent.key, REPORT, report);
    expect(codeOf(body)).toBe('forbidden');
  });
});
