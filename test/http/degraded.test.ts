import { Client } from 'pg';
import { aGap, aReport, REPORT } from '../support/audit-sources';
import { describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { FRESH_METRICS, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import { INGEST } from '../support/world';

describeOnPostgres('what somebody has to look at, though the service answers', () => {
  useLimits({ ...FRESH_METRICS, serverDiskFullMs: 600 });
  const at = useWorld('postgresql', { metrics: { host: '127.0.0.1', port: 0 } });
  const health = async () => (await at.world.fetch('/health')).text;
  const metric = async (sample: string) => {
    const text = await (await fetch(at.world.service.metricsUrl ?? '')).text();
    const line = text.split('\n').find((each) => each.startsWith(`audit_activity_${sample} `));
    return line === undefined ? null : Number(line.split(' ').at(-1));
  };
  const inDatabase = async (statement: string) => {
    const client = new Client({ connectionString: at.world.database.databaseUrl ?? '' });
    await client.connect();
    await client.query(statement);
    await client.end();
  };

  it('covers a stopped evidence log: /health says Degraded, without a tenant, until the log continues', async () => {
    const acme = await at.world.tenant();
    await acme.audited();
    await until(
      async () => (await acme.get('/audit-log')).body.data.size,
      (size) => size === 1,
    );
    expect([await health(), await metric('evidence_logs_stopped')]).toEqual(['Healthy', 0]);
    await inDatabase('UPDATE audit_log_head SET checkpoints = checkpoints + 1');
    await acme.audited();
    await until(health, (text) => text === 'Degraded');
    expect((await at.world.fetch('/health')).status).toBe(200);
    expect([await metric('evidence_logs_stopped'), await metric('degraded')]).toEqual([1, 1]);
    await inDatabase('UPDATE audit_log_head SET checkpoints = checkpoints - 1');
    await until(health, (text) => text === 'Healthy');
    expect(await metric('degraded')).toBe(0);
  });

  it('covers a full disk of PostgreSQL: no event is lost, the log names it, and all is well once there is room', async () => {
    const acme = await at.world.tenant();
    await inDatabase(`
      CREATE FUNCTION is_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file "base/1/2"' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER is_full BEFORE INSERT ON audit_log_queue FOR EACH ROW EXECUTE FUNCTION is_full()`);
    const batch = { events: [anEvent()] };
    const { body } = await at.world.graphql(acme.agentKey, INGEST, { batch });
    expect(body.errors[0].extensions.code).toBe('service_unavailable');
    expect([await health(), await metric('database_disk_full')]).toEqual(['Degraded', 1]);
    expect(at.world.logLines.filter((line) => line.includes('a disk of PostgreSQL is full'))).toEqual([
      expect.stringMatching(/"level":50.*could not extend file/),
    ]);
    await inDatabase('DROP TRIGGER is_full ON audit_log_queue');
    expect(await acme.ingest(batch.events)).toMatchObject({ accepted: 1 });
    await until(health, (text) => text === 'Healthy');
    expect(await metric('database_disk_full')).toBe(0);
  });

  it('has metrics for gaps, agents with a problem, keys that expire soon, and lost entries of the access log', async () => {
    const acme = await at.world.tenant();
    const report = aReport({
      tenantId: acme.tenantId,
      problem: 'the key was revoked',
      gaps: [aGap(), aGap()],
    });
    await at.world.graphql(acme.agentKey, REPORT, { report });
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    for (const name of ['soon', 'soon too']) await at.world.key({ name, expiresAt: inDays(13) });
    await at.world.key({ name: 'later', expiresAt: inDays(15) });
    const { keyId } = await at.world.key({ name: 'rotated', expiresAt: inDays(13) });
    await at.world.operate(
      'mutation($keyId: String!, $at: String!) { rotateApiKey(keyId: $keyId, expiresAt: $at) { keyId } }',
      { keyId, at: inDays(20) },
    );
    const source = `tenant="${acme.tenantId}",host="${report.hostName}",database="${report.databaseName}"`;
    // Figures from the database are kept for a while, so the test waits.
    await until(
      () => metric('gaps'),
      (n) => n === 2,
    );
    const told = ['sources_with_problem', `source_gaps{${source}}`, `source_problem{${source}}`];
    expect(await Promise.all(told.map(metric))).toEqual([1, 2, 1]);
    const keys = ['public', 'agent', 'operator'].map((kind) => `keys_expiring_soon{kind="${kind}"}`);
    expect(await Promise.all(keys.map(metric))).toEqual([2, 0, 0]);
    expect(await metric('access_log_lost_entries')).toBe(0);
    expect(await metric('access_log_waiting_entries')).toBeGreaterThanOrEqual(0);
  });
});
