import { Client } from 'pg';
import { LIMITS } from '../../src/limits';
import { aGap, aReport, REPORT, reportOf } from '../support/audit-sources';
import { runCli } from '../support/cli';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

describe('the command sources', () => {
  const open = useWorld(ANY_ENGINE);
  const run = (...args: string[]) =>
    runCli(['sources', ...args], {
      AUDIT_ACTIVITY_URL: open.world.service.url,
      DATA_DIR: open.world.database.dataDir,
    });
  async function report(tenant: TestTenant, change: object): Promise<void> {
    const variables = { report: aReport({ tenantId: tenant.tenantId, ...change }) };
    reportOf((await open.world.graphql(tenant.agentKey, REPORT, variables)).body);
  }

  it('prints a table of all tenants or of one, with the lag in seconds', async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant()];
    const caughtUpAt = new Date(Date.now() - 7_200_000).toISOString();
    await report(acme, { hostName: 'HOST-A', caughtUpAt, waitingBytes: 512, gaps: [aGap()] });
    await report(other, { hostName: 'HOST-B', problem: 'the service is not reachable' });

    const [table = '', ...more] = (await run()).lines;
    const lines = table.split('\n');
    expect([lines[0]?.split(/ +/), lines.length, more]).toEqual([
      [
        ...['tenantId', 'hostName', 'databaseName', 'lag', 'waitingBytes', 'gapCount', 'problem'],
        ...['publishedCount', 'lastEventTime', 'lastReceived', 'lastReported', 'agentVersion'],
        ...['agentGroup', 'wantedVersion', 'runningVersion', 'refusedSettings', 'followsSettings'],
        ...['wantedPackage', 'packageState', 'packageReason'],
        ...['retiredAt', 'standbySince', 'retiredReason'],
      ],
      3,
      [],
    ]);
    expect(lines[1]).toMatch(new RegExp(`^${acme.tenantId} +HOST-A +Payroll +72\\d\\d s +512 +1 +- `));
    expect(lines[2]).toMatch(
      new RegExp(`^${other.tenantId} +HOST-B +Payroll +never +0 +0 +the service is not reachable +0 `),
    );
    const ofOther = (await run('--tenant', other.tenantId)).lines[0]?.split('\n') ?? [];
    expect([ofOther.length, ofOther[1]]).toEqual([2, expect.stringContaining('HOST-B')]);
  });

  it('tells as JSON of as many sources as a tenant may have, with the gaps of each', async () => {
    const acme = await open.world.tenant();
    const { migrationDatabaseUrl, databaseUrl } = open.world.database;
    const client = new Client({ connectionString: migrationDatabaseUrl ?? databaseUrl ?? '' });
    await client.connect();
    await client.query(
      `WITH made AS (INSERT INTO audit_source (tenant_id, host_name, database_name, agent_version, waiting_bytes,
         published_count, last_reported)
         SELECT $1::int, 'HOST-' || n, 'Payroll', '1', 0, 0, now() FROM generate_series(1, $2::int) n RETURNING host_name)
       INSERT INTO audit_gap (tenant_id, host_name, database_name, gap_id, reason, file_name, detail, detected_at,
         first_reported)
       SELECT $1::int, host_name, 'Payroll', gen_random_uuid(), 'FILE_DELETED', 'f', 'of ' || host_name,
         '2026-01-05T08:00:00.0000000Z', now() FROM made WHERE host_name LIKE '%7'`,
      [Number(acme.tenantId), LIMITS.sourcesMax],
    );
    await client.end();
    const { lines, error } = await run('--tenant', acme.tenantId, '--json');
    expect(error).toBeNull();
    const sources: { hostName: string; gaps: { detail: string }[] }[] = JSON.parse(lines[0] ?? '');
    expect(sources).toHaveLength(LIMITS.sourcesMax);
    for (const { hostName, gaps } of sources)
      expect(gaps.map(({ detail }) => detail)).toEqual(hostName.endsWith('7') ? [`of ${hostName}`] : []);
  });

  it('prints only those whose agents do not run the settings of their group', async () => {
    const acme = await open.world.tenant();
    const running = { pollIntervalMs: 10, batchMaxEvents: 1, logLevel: 'info', isOn: true, refused: [] };
    const { createAgentGroup } = await open.world.operate(
      `mutation($t: String!) { createAgentGroup(tenantId: $t, name: "All", hosts: ["sql*"]) { version } }`,
      { t: acme.tenantId },
    );
    const { version } = createAgentGroup;
    const refused = [{ setting: 'Databases', reason: 'NOT_ALLOWED' }];
    await report(acme, { hostName: 'web' });
    await report(acme, { hostName: 'sql-follows', running: { ...running, version } });
    await report(acme, { hostName: 'sql-refuses', running: { ...running, version, refused } });
    await report(acme, { hostName: 'sql-before', running });
    const hostsOf = async (...args: string[]) =>
      JSON.parse((await run('--tenant', acme.tenantId, '--json', ...args)).lines[0] ?? '').map(
        ({ hostName }: { hostName: string }) => hostName,
      );
    expect(await hostsOf('--not-following')).toEqual(['sql-before', 'sql-refuses']);
    expect(await hostsOf()).toHaveLength(4);
  });

  it('prints every field and the gaps in JSON', async () => {
    const acme = await open.world.tenant();
    const gap = aGap();
    await report(acme, { gaps: [gap] });
    const { lines } = await run('--tenant', acme.tenantId, '--json');
    expect(JSON.parse(lines[0] ?? '')).toEqual([
      expect.objectContaining({
        hostName: 'SQLPROD01',
        lag: null,
        gapCount: 1,
        gaps: [{ ...gap, firstReported: expect.any(String) }],
      }),
    ]);
  });

  it('says in one line that there are no sources, or no such tenant', async () => {
    const { tenantId } = await open.world.tenant();
    expect(await run('--tenant', tenantId)).toEqual({ lines: ['none'], error: null });
    expect((await run('--tenant', '999')).error).toBe('not_found: There is no such tenant.');
  });

  it('are removed by a time when nobody has reported them for five minutes', async () => {
    const acme = await open.world.tenant();
    await report(acme, { hostName: 'invented' });
    const { service, database } = open.world;
    const remove = (before: number) =>
      runCli(
        [
          'remove-sources',
          '--tenant',
          acme.tenantId,
          '--yes',
          '--reported-before',
          new Date(before).toISOString(),
        ],
        { AUDIT_ACTIVITY_URL: service.url, DATA_DIR: database.dataDir },
      );
    expect((await remove(Date.now())).error).toContain('reportedBefore must be at least five minutes ago');
    expect(await remove(Date.now() - 600_000)).toEqual({
      lines: ['0 sources and 0 gaps are removed'],
      error: null,
    });
  });
});
