import { LIMITS } from '../../src/limits';
import { type CliOutcome, runCli } from '../support/cli';
import { ANY_ENGINE } from '../support/engines';
import { until } from '../support/until';
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
  const keyOf = async (keyId: string) =>
    (await json('key', 'list')).find((key: { keyId: string }) => key.keyId === keyId);
  const status = async (key: string) => (await open.world.get('/audit-activity', key)).status;

  it('rotates a key with an overlap of a day, unless another overlap is given', async () => {
    const acme = await open.world.tenant();
    const made = await json('key', 'rotate', acme.keyId);
    const minutes = (Date.parse(made.overlapEndsAt) - Date.now()) / 60_000;
    expect(Math.ceil(minutes)).toBe(LIMITS.keyOverlapMinutesDefault);
    expect(await keyOf(made.keyId)).toMatchObject({ replaces: acme.keyId, state: 'valid' });
    expect([await status(acme.key), await status(made.key)]).toEqual([200, 200]);

    const { lines } = await run('key', 'rotate', made.keyId, '--overlap-minutes', '0');
    expect(lines.join('\n')).toMatch(new RegExp(`^The old key ${made.keyId} works until \\d{4}-`, 'm'));
    expect([await status(acme.key), await status(made.key)]).toEqual([200, 401]);
  });

  it('restricts keys of every kind to addresses, and gives them an expiry', async () => {
    const { tenantId } = await open.world.tenant();
    const limits = ['--name', 'bound', '--allow-address', '192.0.2.0/24', '--allow-address', '2001:db8::1'];
    const end = ['--expires-at', '2999-01-01T00:00:00Z'];
    for (const [kind, more] of [
      ['key', ['--tenant', tenantId]],
      ['agent-key', ['--tenant', tenantId]],
      ['operator-key', []],
    ] as const) {
      const { keyId } = await json(kind, 'create', ...limits, ...end, ...more);
      expect(await keyOf(keyId)).toMatchObject({
        kind: { key: 'public', 'agent-key': 'agent', 'operator-key': 'operator' }[kind],
        allowedAddresses: ['192.0.2.0/24', '2001:db8::1'],
        expiresAt: '2999-01-01T00:00:00.000Z',
      });
    }
  });

  it('names an address that is invalid', async () => {
    const { error } = await run(
      'key',
      'create',
      '--name',
      'k',
      '--tenant',
      '1',
      '--allow-address',
      '192.0.2.0/99',
    );
    expect(error).toContain('192.0.2.0/99 is no address');
  });

  it('makes a second operator key, which works', async () => {
    const { key } = await json('operator-key', 'create', '--name', 'second');
    const { lines, error } = await run('tenant', 'list', '--operator-key', key);
    expect([error, lines.length]).toEqual([null, 1]);
  });

  it('lists who did what, by tenant, key, operation and time, up to a number of entries', async () => {
    const acme = await open.world.tenant();
    const since = new Date().toISOString();
    await acme.get('/audit-activity', { search: 'salary' });
    const [entry, ...others] = await until(
      () => json('access-log', '--key', acme.keyId, '--since', since),
      (entries) => entries.length > 0,
    );
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ operation: 'auditEvents', keyName: 'test', tenantIds: [acme.tenantId] });
    expect(await json('access-log', '--tenant', acme.tenantId, '--limit', '1')).toEqual([entry]);
    const ofOperation = await json('access-log', '--operation', 'createTenant', '--tenant', acme.tenantId);
    expect(ofOperation).toMatchObject([{ subject: acme.tenantId, principalKind: 'operator' }]);
    const { lines } = await run('access-log', '--key', acme.keyId);
    expect(lines.join('\n')).toMatch(/auditEvents +ok +0 +test .*"search":"salary"/);
  });
});
