import 'reflect-metadata';
import { Client } from 'pg';
import { PostgresTenantStore } from '../../src/caller/tenant.store';
import { KEYS_CHANGED } from '../../src/database/notifications';
import { TenantResolver } from '../../src/modules/tenants/tenant.resolver';
import { AN_ATTEMPT } from '../support/attempt';
import { aReport, REPORT } from '../support/audit-sources';
import { DashboardSession } from '../support/dashboard-session';
import { ANY_ENGINE, describeOnPostgres } from '../support/engines';
import { Store } from '../support/store';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';

const RENAME =
  'mutation($t: String!, $n: String!) { renameTenant(tenantId: $t, name: $n) { tenantId name } }';
const DISABLE = `mutation($t: String!, $r: String!) {
  disableTenant(tenantId: $t, reason: $r) { disabledAt disabledReason } }`;
const ENABLE = 'mutation($t: String!) { enableTenant(tenantId: $t) { disabledAt disabledReason } }';
const INGEST = `mutation($batch: AuditEventBatchInput!) { ingestAuditEvents(batch: $batch) { accepted } }`;

const open = useWorld(ANY_ENGINE);
const refusalOf = async (key: string, query: string, variables: object) =>
  (await open.world.graphql(key, query, variables)).body.errors?.[0];

describe('a disabled tenant', () => {
  it('is refused with 403, with its agents and sessions, and goes on when it is enabled', async () => {
    const acme = await open.world.tenant();
    const report = { report: aReport({ tenantId: acme.tenantId }) };
    const session = await DashboardSession.signIn(open.world, acme.key);
    const status = async () => (await open.world.get('/audit-activity', acme.key)).status;
    const asSession = async () =>
      (await session.graphql('{ auditCoverage { sourceCount } }', {})).body.errors?.[0].extensions.code;
    expect([await status(), await refusalOf(acme.agentKey, REPORT, report), await asSession()]).toEqual([
      200,
      undefined,
      undefined,
    ]);

    const { disableTenant } = await open.world.operate(DISABLE, { t: acme.tenantId, r: 'unpaid' });
    expect(disableTenant).toEqual({ disabledAt: expect.any(String), disabledReason: 'unpaid' });
    const { body, status: refused } = await open.world.get('/audit-activity', acme.key);
    expect([refused, body.error.code]).toEqual([403, 'forbidden']);
    expect(await asSession()).toBe('forbidden');
    for (const [query, variables] of [
      [REPORT, report],
      [INGEST, { batch: { events: [] } }],
    ] as const)
      expect(await refusalOf(acme.agentKey, query, variables)).toMatchObject({
        extensions: { code: 'forbidden' },
        message: expect.stringContaining('is disabled'),
      });
    const again = await open.world.operate(DISABLE, { t: acme.tenantId, r: 'left' });
    expect(again.disableTenant).toEqual({ ...disableTenant, disabledReason: 'left' });

    const { enableTenant } = await open.world.operate(ENABLE, { t: acme.tenantId });
    expect(enableTenant).toEqual({ disabledAt: null, disabledReason: null });
    expect([await status(), await refusalOf(acme.agentKey, REPORT, report)]).toEqual([200, undefined]);
  });

  it('is left out of what a key of several tenants reads', async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant()];
    for (const { tenantId, agentKey } of [acme, other])
      await open.world.graphql(agentKey, REPORT, { report: aReport({ tenantId }) });
    const { key } = await open.world.key({ tenantIds: [acme.tenantId, other.tenantId] });
    const tenants = async () =>
      (await open.world.get('/audit-sources', key)).body.data.map(
        ({ tenantId }: { tenantId: string }) => tenantId,
      );
    expect(await tenants()).toEqual([acme.tenantId, other.tenantId]);
    await open.world.operate(DISABLE, { t: acme.tenantId, r: 'unpaid' });
    expect(await tenants()).toEqual([other.tenantId]);
    await open.world.operate(ENABLE, { t: acme.tenantId });
    expect(await tenants()).toEqual([acme.tenantId, other.tenantId]);
  });

  it('and one that is renamed is named by the list and by the access log; one that is not there is not found', async () => {
    const { tenantId } = await open.world.tenant('Acme');
    const { renameTenant } = await open.world.operate(RENAME, { t: tenantId, n: 'Acme Ltd' });
    expect(renameTenant).toEqual({ tenantId, name: 'Acme Ltd' });
    await open.world.operate(DISABLE, { t: tenantId, r: 'unpaid' });
    await open.world.operate(ENABLE, { t: tenantId });
    const { accessLog } = await open.world.operate(
      'query($t: String) { accessLog(tenantId: $t, first: 3) { entries { operation subject parameters } } }',
      { t: tenantId },
    );
    expect(accessLog.entries).toMatchObject([
      { operation: 'enableTenant', subject: tenantId },
      { operation: 'disableTenant', parameters: expect.stringContaining('unpaid') },
      { operation: 'renameTenant', parameters: expect.stringContaining('Acme Ltd') },
    ]);
    const missing = { t: '2000000000', n: 'x', r: 'x' };
    for (const query of [RENAME, DISABLE, ENABLE])
      expect(await refusalOf(open.world.operatorKey, query, missing)).toMatchObject({
        extensions: { code: 'not_found' },
      });
    expect(await refusalOf(open.world.operatorKey, RENAME, { t: tenantId, n: ' ' })).toMatchObject({
      extensions: { code: 'invalid_parameter' },
    });
  });
});

describeOnPostgres('a tenant that is disabled or enabled', () => {
  it('is told to the other instances', async () => {
    const store = await Store.open('postgresql');
    const listener = new Client({ connectionString: store.place.databaseUrl ?? '' });
    try {
      await listener.connect();
      const heard: string[] = [];
      listener.on('notification', ({ channel }) => heard.push(channel));
      await listener.query(`LISTEN ${KEYS_CHANGED}`);
      const tenants = new PostgresTenantStore(store.database.service);
      const disabled = { at: new Date('2026-01-05T08:00:00Z'), reason: 'unpaid' };
      for (const [n, state] of [disabled, null].entries()) {
        await tenants.setDisabled(store.tenantId, state, AN_ATTEMPT);
        await until(
          async () => heard.length,
          (count) => count === n + 1,
        );
      }
    } finally {
      await listener.end();
      await store.close();
    }
  });
});

it('a tenant that is disabled or enabled is so at once on the instance that did it, also where none notifies it', async () => {
  let forgotten = 0;
  const tenant = { tenantId: 7, name: 'Acme', createdAt: new Date(0), retentionDays: null };
  const store = { setDisabled: async () => ({ ...tenant, disabledAt: null, disabledReason: null }) };
  const authenticator = { forget: () => void forgotten++ };
  const holds = { counts: async () => new Map(), inForce: async () => [{}, {}] as never };
  const resolver = new TenantResolver(store as never, authenticator, holds, () => 0);
  const call = { attempt: () => AN_ATTEMPT } as never;
  const { holdsInForce } = await resolver.disableTenant({ tenantId: '7', reason: 'unpaid' }, call);
  expect([forgotten, holdsInForce]).toEqual([1, 2]);
  await resolver.enableTenant({ tenantId: '7' }, call);
  expect(forgotten).toBe(2);
});
