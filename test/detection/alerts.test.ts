import { ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import type { TestTenant, World } from '../support/world';

const failures = (count: number, change: object = {}, minute = 0) =>
  Array.from({ length: count }, (_, i) =>
    anEvent({
      actionId: 'LGIF',
      succeeded: false,
      serverPrincipalName: 'sa',
      clientIp: '203.0.113.9',
      statement: "Login failed for user 'sa'. Reason: Password did not match.",
      eventTime: `2026-01-05T08:${String(minute).padStart(2, '0')}:${String(i).padStart(2, '0')}.1234567Z`,
      ...change,
    }),
  );

const alertKeyOf = async (world: World, { tenantId }: TestTenant) =>
  (await world.key({ tenantIds: [tenantId], scopes: ['read:alerts', 'read:findings'] })).key;

async function alertsOf(world: World, key: string, count: number) {
  const { body } = await until(
    () => world.get('/alerts', key, { query: { pageSize: 100 } }),
    (answer) => answer.body.meta.totalCount >= count,
  );
  return body.data;
}

describe.each(ENGINES)('detection on %s', (engine) => {
  const open = useWorld(engine);

  it('makes findings and alerts that only keys of the tenant read', async () => {
    const { world } = open;
    const tenant = await world.tenant();
    const other = await world.tenant();
    const key = await alertKeyOf(world, tenant);
    const sent = failures(15);
    await tenant.ingest(sent);
    await other.audited();
    const alerts = await alertsOf(world, key, 2);
    expect(alerts.map(({ title }: { title: string }) => title.split(':')[0]).sort()).toEqual([
      'Brute force',
      'Failure from outside',
    ]);
    const bruteForce = alerts.find(({ title }: { title: string }) => title.startsWith('Brute force'));
    expect(bruteForce).toMatchObject({
      tenantId: tenant.tenantId,
      severity: 'high',
      status: 'new',
      verdict: null,
      assignee: null,
      group: { clientIp: '203.0.113.9' },
      findingCount: 1,
      eventCount: 15,
      firstEventTime: sent[0]?.eventTime,
      lastEventTime: sent[14]?.eventTime,
    });
    const { body } = await world.get('/findings', key, { query: { alertId: bruteForce.alertId } });
    expect(body.meta.totalCount).toBe(1);
    const finding = await world.get(`/findings/${body.data[0].findingId}`, key);
    expect(finding.body.data.recordIds).toHaveLength(15);
    expect(
      (await world.get(finding.body.data.proofs[0].replace('/api/v1/public', ''), tenant.key)).status,
    ).toBe(200);
    expect((await world.get(`/alerts/${bruteForce.alertId}`, key)).body.data).toEqual(bruteForce);
    const foreign = await alertKeyOf(world, other);
    expect((await world.get('/alerts', foreign)).body.data).toEqual([]);
    expect((await world.get(`/alerts/${bruteForce.alertId}`, foreign)).status).toBe(404);
    expect((await world.get(`/findings/${body.data[0].findingId}`, foreign)).status).toBe(404);
    expect((await world.get('/alerts', tenant.key)).status).toBe(403);
  });

  it('names who granted a role, and who got it', async () => {
    const { world } = open;
    const tenant = await world.tenant();
    const key = await alertKeyOf(world, tenant);
    const grant = {
      actionId: 'APRL',
      serverInstanceName: 'SQLPROD01\\PAYROLL',
      serverPrincipalName: 'CORP\\dba.ali',
      objectName: 'sysadmin',
      statement: 'ALTER SERVER ROLE sysadmin ADD MEMBER [CORP\\j.ortega]',
      additional: { classType: 'SG', targetServerPrincipalName: 'CORP\\j.ortega' },
    };
    await tenant.ingest([anEvent(grant)]);
    const [alert] = await alertsOf(world, key, 1);
    const names = {
      summary: 'CORP\\dba.ali added CORP\\j.ortega to sysadmin on SQLPROD01\\PAYROLL',
      didIt: ['CORP\\dba.ali'],
      gotIt: ['CORP\\j.ortega'],
    };
    expect(alert).toMatchObject(names);
    const { body } = await world.get('/findings', key, { query: { alertId: alert.alertId } });
    expect(body.data).toEqual([expect.objectContaining(names)]);
  });

  it('finds a password spray under each of its many logins', async () => {
    const { world } = open;
    const tenant = await world.tenant();
    const key = await alertKeyOf(world, tenant);
    const logins = Array.from({ length: 120 }, (_, n) => `CORP\\user${n}`);
    await tenant.ingest(
      logins.flatMap((serverPrincipalName, n) =>
        failures(1, { serverPrincipalName, clientIp: '10.0.0.9' }, Math.floor(n / 10)),
      ),
    );
    const spray = async (principalName: string) => {
      const { body } = await world.get('/alerts', key, { query: { principalName } });
      return body.data.filter(({ title }: { title: string }) => title.startsWith('Password spray'));
    };
    await until(
      () => spray('CORP\\user119'),
      (found) => found.length === 1,
    );
    for (const login of ['corp\\USER0', 'CORP\\user60']) expect(await spray(login)).toHaveLength(1);
    expect(await spray('CORP\\user120')).toEqual([]);
  });

  it('works on events without a principal and without a server instance', async () => {
    const { world } = open;
    const tenant = await world.tenant();
    const key = await alertKeyOf(world, tenant);
    const unnamed = { serverPrincipalName: null, serverInstanceName: null };
    await tenant.ingest(failures(15, unnamed));
    const bruteForce = async () =>
      (await alertsOf(world, key, 2)).find(({ title }: { title: string }) => title.startsWith('Brute force'));
    expect(await bruteForce()).toMatchObject({ findingCount: 1, eventCount: 15 });
    await tenant.ingest(failures(15, unnamed, 20));
    await until(bruteForce, ({ findingCount }) => findingCount === 2);
  });
});
