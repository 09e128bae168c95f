import { isWellFormedKey } from '../../src/caller/key-format';
import { type CliOutcome, runCli } from '../support/cli';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';

describe('the command line', () => {
  const open = useWorld(ANY_ENGINE);
  const run = (...args: string[]): Promise<CliOutcome> =>
    runCli(args, { AUDIT_ACTIVITY_URL: open.world.service.url, DATA_DIR: open.world.database.dataDir });
  /** Runs a command that must succeed. @returns its one line of JSON, parsed */
  async function json(...args: string[]) {
    const { lines, error } = await run(...args, '--json');
    expect([error, lines.length]).toEqual([null, 1]);
    return JSON.parse(lines[0] ?? '');
  }
  const newTenant = async (): Promise<string> => (await json('tenant', 'create', '--name', 'Acme')).tenantId;
  const list = (key: string) => open.world.get('/audit-activity', key);

  it('makes tenants and lists them', async () => {
    const made = await json('tenant', 'create', '--name', 'Büro 東京');
    expect(made).toEqual({ tenantId: expect.stringMatching(/^[1-9]\d*$/) });
    const tenants = await json('tenant', 'list');
    expect(tenants.at(-1)).toEqual({
      ...made,
      name: 'Büro 東京',
      createdAt: expect.any(String),
      disabledAt: null,
      disabledReason: null,
      holdsInForce: 0,
      masksStatements: false,
      retentionDays: null,
    });
    expect((await run('tenant', 'list')).lines.join('\n')).toMatch(
      new RegExp(`^${made.tenantId} +Büro 東京 `, 'm'),
    );
    expect((await run('tenant', 'create', '--name', 'B')).lines).toEqual([
      expect.stringMatching(/^tenant \d+$/),
    ]);
  });

  it('makes a key that works on REST, with several tenants and scopes', async () => {
    const tenants = [await newTenant(), await newTenant()];
    const made = await json(
      ...['key', 'create', '--name', 'reporting', '--scope', 'read:audit-activity', '--scope', 'read:alerts'],
      ...tenants.flatMap((id) => ['--tenant', id]),
    );
    expect(made).toEqual({ keyId: expect.stringMatching(/^[0-9a-f-]{36}$/), key: expect.any(String) });
    expect((await list(made.key)).status).toBe(200);
    const keys = await json('key', 'list');
    expect(keys.find((key: { keyId: string }) => key.keyId === made.keyId)).toMatchObject({
      name: 'reporting',
      kind: 'public',
      tenantIds: tenants,
      scopes: ['read:audit-activity', 'read:alerts'],
      expiresAt: null,
      rateLimitPerMinute: null,
    });
  });

  it('makes a key with its own expiry and rate limit', async () => {
    const tenantId = await newTenant();
    const { keyId, key } = await json(
      ...['key', 'create', '--name', 'k', '--tenant', tenantId, '--scope', 'read:audit-activity'],
      ...['--expires-at', '2999-12-31T00:00:00Z', '--rate-limit', '3'],
    );
    const found = (await json('key', 'list')).find((listed: { keyId: string }) => listed.keyId === keyId);
    expect(found).toMatchObject({ expiresAt: '2999-12-31T00:00:00.000Z', rateLimitPerMinute: 3 });
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await list(key)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('makes a key without a scope: such a key is valid and gets 403', async () => {
    const tenantId = await newTenant();
    const { key } = await json('key', 'create', '--name', 'k', '--tenant', tenantId);
    expect((await list(key)).status).toBe(403);
  });

  it('shows a new key once, and says that it is the only time', async () => {
    const { lines } = await run('key', 'create', '--name', 'once', '--tenant', await newTenant());
    const text = lines.join('\n');
    const key = text.split('\n').find(isWellFormedKey) ?? '';
    expect(text).toContain('only time');
    for (const shown of [await run('key', 'list'), await run('key', 'list', '--json')]) {
      expect(shown.lines.join('\n')).toContain('once');
      expect(shown.lines.join('\n')).not.toContain(key);
    }
  });

  it('revokes a key at once', async () => {
    const tenantId = await newTenant();
    const { keyId, key } = await json(
      ...['key', 'create', '--name', 'k', '--tenant', tenantId, '--scope', 'read:audit-activity'],
    );
    expect((await list(key)).status).toBe(200);
    expect(await json('key', 'revoke', keyId)).toEqual({ keyId, revokedAt: expect.any(String) });
    expect((await list(key)).status).toBe(401);
    expect((await run('key', 'revoke', keyId)).lines.join('\n')).toContain(`key ${keyId} is revoked`);
  });

  it('makes an agent key, which writes for its tenant and cannot read', async () => {
    const tenantId = await newTenant();
    const made = await json('agent-key', 'create', '--name', 'sql01', '--tenant', tenantId);
    expect(Object.keys(made).sort()).toEqual(['key', 'keyId']);
    expect((await list(made.key)).status).toBe(403);
    const { body } = await open.world.graphql(
      made.key,
      'mutation { ingestAuditEvents(batch: { events: [] }) { accepted } }',
    );
    expect(body).toEqual({ data: { ingestAuditEvents: { accepted: 0 } } });
  });
});
