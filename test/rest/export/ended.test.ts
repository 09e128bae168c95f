import { Client } from 'pg';
import { DashboardSession } from '../../support/dashboard-session';
import { describeOnPostgres } from '../../support/engines';
import { anEvent } from '../../support/events';
import { until } from '../../support/until';
import { useWorld } from '../../support/use-world';
import type { TestTenant } from '../../support/world';
import { PATH } from './support';

const EVENTS = 40;
/** More than the buffers of the sockets hold, in pages of a few events. */
const STATEMENT = 'x'.repeat(500_000);
const REST = `/api/v1/public${PATH}`;
const DASHBOARD = '/dashboard/api/export';

describeOnPostgres('an export whose caller may no longer have it', () => {
  const open = useWorld('postgresql');
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await open.world.tenant();
    for (let i = 0; i < EVENTS; i += 10)
      await acme.ingest(Array.from({ length: 10 }, () => anEvent({ statement: STATEMENT })));
  });

  const sql = async (text: string, value: string) => {
    const client = new Client({ connectionString: open.world.database.databaseUrl ?? '' });
    await client.connect();
    await client.query(text, [value]).finally(() => client.end());
  };
  const isRefused = (answer: () => Promise<{ status: number }>) =>
    until(
      async () => (await answer()).status,
      (status) => status === 401,
    );

  /**
   * Begins an export, ends the right to it, and reads on. The answer must break off, with far fewer bytes than a whole
   * export.
   */
  async function cutBy(
    path: string,
    headers: Record<string, string>,
    end: () => Promise<unknown>,
    isOver?: () => Promise<unknown>,
  ) {
    const response = await fetch(`${open.world.service.url}${path}?end=1`, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('X-Total-Count')).toBe(String(EVENTS));
    const reader = response.body?.getReader();
    await reader?.read();
    await end();
    const own = path.replace('/export', path === REST ? '' : '/session');
    await (isOver ? isOver() : isRefused(() => open.world.fetch(own, { headers })));
    let bytes = 0;
    const readAll = async () => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
        bytes += part.value.length;
    };
    await expect(readAll()).rejects.toThrow();
    expect(bytes).toBeLessThan(0.75 * EVENTS * STATEMENT.length);
  }

  const keyed = async () => {
    const made = await open.world.key({ tenantIds: [acme.tenantId] });
    return { ...made, headers: { 'X-Api-Key': made.key } };
  };
  const signedIn = async () => {
    const made = await keyed();
    const { cookie } = await DashboardSession.signIn(open.world, made.key);
    return { ...made, headers: { Cookie: cookie, 'X-Dashboard': '1' } };
  };
  const revoke = (keyId: string) =>
    open.world.operate('mutation($id: String!) { revokeApiKey(keyId: $id) { keyId } }', { id: keyId });

  it('breaks off when its key is revoked, and the access log records this', async () => {
    const { keyId, headers } = await keyed();
    await cutBy(REST, headers, () => revoke(keyId));
    const { accessLog } = await until(
      () =>
        open.world.operate(
          '{ accessLog(keyId: "KEY", operation: "exportAuditActivity") { entries { outcome rows } } }'.replace(
            'KEY',
            keyId,
          ),
        ),
      ({ accessLog: { entries } }) => entries.length === 2,
    );
    expect(accessLog.entries[0]).toMatchObject({ outcome: 'unauthorized' });
    expect(accessLog.entries[0].rows).toBeLessThan(EVENTS);
  });

  it('breaks off when its key expires', async () => {
    const { keyId, headers } = await keyed();
    await cutBy(REST, headers, () =>
      sql('UPDATE api_key SET expires_at = now() WHERE key_id = $1::uuid', keyId),
    );
  });

  it('breaks off when its session is signed out', async () => {
    const { headers } = await signedIn();
    await cutBy(DASHBOARD, headers, () =>
      open.world.fetch('/dashboard/api/sign-out', { method: 'POST', headers }),
    );
  });

  it('breaks off when its session is lost, or the key of its session is revoked', async () => {
    const lost = await signedIn();
    await cutBy(DASHBOARD, lost.headers, () =>
      sql('DELETE FROM dashboard_session WHERE key_id = $1::uuid', lost.keyId),
    );
    const revoked = await signedIn();
    await cutBy(DASHBOARD, revoked.headers, () => revoke(revoked.keyId));
  });

  it.each([
    ['breaks off', 'a tenant of its key'],
    ['goes on', 'a tenant of another key'],
  ])('%s when %s is disabled', async (what, whose) => {
    const [own, foreign] = [await open.world.tenant(), await open.world.tenant()];
    const { key } = await open.world.key({ tenantIds: [acme.tenantId, own.tenantId] });
    const { tenantId } = whose === 'a tenant of its key' ? own : foreign;
    const { key: alone } = await open.world.key({ tenantIds: [tenantId] });
    const disable = () =>
      open.world.operate(
        'mutation($t: String!) { disableTenant(tenantId: $t, reason: "unpaid") { tenantId } }',
        { t: tenantId },
      );
    const isDisabled = () =>
      until(
        async () => (await open.world.get(PATH.replace('/export', ''), alone)).status,
        (status) => status === 403,
      );
    const cut = cutBy(REST, { 'X-Api-Key': key }, disable, isDisabled);
    // The whole of it is no part.
    await (what === 'breaks off' ? cut : expect(cut).rejects.toThrow(/resolved instead of rejected/));
  });
});
