import { AgentWorld } from '../agent/support/agent-world';
import { createDestination, LOCAL } from '../destinations/support/destinations';
import { Receiver } from '../destinations/support/receiver';
import { ANY_ENGINE } from '../support/engines';
import { until } from '../support/until';
import { World } from '../support/world';
import { ATTACKS, type Attack } from './support/attacks';
import { type Deed, writeAudit } from './support/made-audit';
import { MailBox } from './support/mail-box';

const ROUTE = `mutation($t: String!, $emails: [String!], $destinationId: String) {
  createAlertRoute(tenantId: $t, name: "soc", emails: $emails, destinationId: $destinationId, severity: "low") { routeId } }`;
const WITHIN_MS = 60_000;

interface Alert {
  readonly alertId: string;
  readonly incidentId: string | null;
  readonly title: string;
  readonly group: Readonly<Record<string, string | null>>;
  readonly findingCount: number;
}

/** A server at its usual work, without any attack. */
const USUAL: readonly Deed[] = Array.from({ length: 200 }, (_, n) => ({
  action_id: n % 10 === 0 ? 'LGIS' : 'SL',
  server_principal_name: `CORP\\user${n % 7}`,
  statement: n % 10 === 0 ? '' : `SELECT * FROM dbo.Orders WHERE id = ${n}`,
}));

describe('an attack in audit files', () => {
  let mail: MailBox;
  let world: World;
  let receiver: Receiver;
  beforeAll(async () => {
    [mail, receiver] = await Promise.all([MailBox.open(), Receiver.open()]);
    world = await World.open(ANY_ENGINE, { ...LOCAL, mail: { url: mail.url, from: 'audit@example.com' } });
  });
  afterAll(async () => {
    await world.close();
    await Promise.all([mail.close(), receiver.close()]);
  });

  const posted = (): { alert: Alert & { tenantId: string } }[] =>
    receiver.requests.flatMap(({ body }) => {
      const content = JSON.parse(body.toString('utf8'));
      return [content]
        .flat()
        .filter(({ type }) => type === 'alert')
        .map((alert) => ({ alert }));
    });

  async function plant(deeds: readonly Deed[]) {
    const tenant = await world.tenant();
    const t = tenant.tenantId;
    const { destinationId } = await createDestination(world, { tenantId: t, url: receiver.url, from: 'now' });
    await world.operate(ROUTE, { t, emails: [`soc${t}@example.com`] });
    await world.operate(ROUTE, { t, destinationId });
    const agent = await AgentWorld.create();
    try {
      agent.configure({ BaseUrl: world.service.url, ApiKey: tenant.agentKey, TenantId: t });
      const count = writeAudit(agent.auditFolder, deeds);
      expect(await agent.once()).toBe(0);
      const { body } = await world.get('/audit-activity', tenant.key);
      expect(body.meta.totalCount).toBe(count);
    } finally {
      await agent.close();
    }
    const { key } = await world.key({ tenantIds: [t], scopes: ['read:alerts', 'read:findings'] });
    const alerts = async (): Promise<Alert[]> =>
      (await world.get('/alerts', key, { query: { pageSize: 100 } })).body.data;
    return { t, key, alerts };
  }

  const shown = (alerts: readonly Alert[]) => alerts.map(({ title }) => title).sort();

  it.each(ATTACKS.map((attack): [string, Attack] => [attack.name, attack]))(
    'causes exactly its alerts, by mail and at the destination: %s',
    async (_, attack) => {
      const { t, alerts } = await plant([...USUAL, ...attack.deeds]);
      const wanted = attack.alerts.map(([rule]) => rule).sort();
      const found = await until(alerts, (some) => some.length >= wanted.length, WITHIN_MS);
      expect(shown(found)).toEqual(wanted.map((rule) => expect.stringContaining(rule)));
      for (const [rule, names] of attack.alerts) {
        const alert = found.find(({ title }) => title.startsWith(rule));
        expect(Object.values(alert?.group ?? {})).toContain(names);
        expect(alert?.findingCount).toBeGreaterThan(0);
      }
      const mails = await until(
        () => mail.to(`soc${t}@example.com`),
        // Alerts of an incident are told by one mail.
        (some) => found.every((alert) => some.some((one) => one.includes(alert.incidentId ?? alert.title))),
        WITHIN_MS,
      );
      expect(mails.join('\n')).not.toContain('CORP\\user');
      const told = await until(
        () => posted().filter(({ alert }) => alert.tenantId === t),
        (some) => some.length >= found.length,
        WITHIN_MS,
      );
      expect(new Set(told.map(({ alert }) => alert.alertId))).toEqual(
        new Set(found.map(({ alertId }) => alertId)),
      );
    },
    3 * WITHIN_MS,
  );

  it('is all that causes alerts: usual work beside it causes none', async () => {
    const { alerts } = await plant([...USUAL, { action_id: 'TASP', class_type: 'SR', after: 60 }]);
    const found = await until(alerts, (some) => some.length > 0, WITHIN_MS);
    expect(shown(found)).toEqual([expect.stringContaining('Trace or C2 off')]);
  });
});
