import { Client } from 'pg';
import { createDestination, LOCAL } from '../destinations/support/destinations';
import { describeWithRsyslog, Rsyslog } from '../destinations/support/rsyslog';
import { describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { World } from '../support/world';
import { MailServer } from './support/mail-server';

const HEAD = /^<(\d+)>1 (\S+) (\S+) (\S+) - (\S+) - (\{.*\})$/;
const ROUTE = `mutation($t: String!, $name: String!, $emails: [String!], $id: String, $format: String) {
  createAlertRoute(tenantId: $t, name: $name, emails: $emails, destinationId: $id, format: $format) { routeId } }`;
const CHANNEL_FAILS = 'A channel of alerts fails';

(describeOnPostgres === describe ? describeWithRsyslog : describe.skip)('alerts to a real rsyslog', () => {
  let rsyslog: Rsyslog;
  let mail: MailServer;
  let world: World;
  beforeAll(async () => {
    [rsyslog, mail] = [await Rsyslog.open(), await MailServer.open()];
    world = await World.open('postgresql', { ...LOCAL, mail: { url: mail.url, from: 'audit@example.com' } });
  });
  afterAll(async () => {
    await world?.close();
    await Promise.all([rsyslog?.close(), mail?.close()]);
  });

  const aDestination = async (t: string, protocol: 'tls' | 'relp+tls' | 'relp') => {
    const port = { tls: rsyslog.ports.tls, 'relp+tls': rsyslog.ports.relpTls, relp: rsyslog.ports.relp }[
      protocol
    ];
    const { destinationId } = await createDestination(world, {
      tenantId: t,
      type: protocol === 'tls' ? 'syslog' : 'relp',
      from: 'now',
      url: `${protocol}://127.0.0.1:${port}`,
      settings: protocol === 'relp' ? {} : { ca: rsyslog.certificate },
      secrets:
        protocol === 'relp+tls' ? { clientCertificate: rsyslog.certificate, clientKey: rsyslog.key } : {},
    });
    return destinationId;
  };
  const alertsOf = async (t: string) =>
    (
      await world.operate(
        `{ tenantAlerts(tenantId: "${t}") { items { alertId ruleId title severity status group findingCount eventCount
            firstEventTime lastEventTime createdAt updatedAt tenantId incidentId verdict assignee summary didIt gotIt
            acknowledgedAt secondsToAcknowledge } } }`,
      )
    ).tenantAlerts.items as readonly Record<string, unknown>[];
  /** @returns the messages of alerts, each with the parts of its header */
  const told = async (isOurs: (body: Record<string, unknown>) => boolean) =>
    (await rsyslog.messages()).flatMap((line) => {
      const match = HEAD.exec(line);
      const body = match && JSON.parse(match[6] ?? '');
      return match && match[5] === 'ALERT' && isOurs(body) ? [{ head: match.slice(1, 6), body }] : [];
    });

  it.each(['tls', 'relp+tls', 'relp'] as const)(
    'arrive whole over %s, as JSON and as an OCSF Detection Finding',
    async (protocol) => {
      const tenant = await world.tenant();
      const t = tenant.tenantId;
      const id = await aDestination(t, protocol);
      await world.operate(ROUTE, { t, name: 'own', id, format: 'json' });
      await world.operate(ROUTE, { t, name: 'ocsf', id, format: 'ocsf' });
      await tenant.ingest([anEvent({ actionId: 'TASP', serverPrincipalName: 'CORP\\Jürgen\n漢' })]);
      const own = await until(
        () => told(({ tenantId }) => tenantId === t),
        ({ length }) => length > 0,
      );
      const [alert] = await alertsOf(t);
      expect(own.map(({ body }) => body)).toEqual([{ type: 'alert', ...alert }]);
      expect(own[0]?.head).toEqual([
        '108',
        expect.stringMatching(/^\d{4}-.*Z$/),
        '-',
        'audit-activity',
        'ALERT',
      ]);
      const ocsf = await until(
        () => told(({ metadata }) => (metadata as { tenant_uid?: string })?.tenant_uid === t),
        ({ length }) => length > 0,
      );
      expect(ocsf).toHaveLength(1);
      expect(ocsf[0]?.body).toMatchObject({
        class_uid: 2004,
        category_uid: 2,
        activity_id: 1,
        type_uid: 200401,
        severity_id: 3,
        status_id: 1,
        finding_info: { uid: alert?.alertId, title: alert?.title, analytic: { uid: alert?.ruleId } },
        time: Date.parse(String(alert?.updatedAt)),
        unmapped: { group: alert?.group },
      });
      expect(ocsf[0]?.body.unmapped.group.serverPrincipalName).toBe('CORP\\Jürgen\n漢');
    },
  );

  it('carry the severity of the alert as the syslog severity in their header', async () => {
    const tenant = await world.tenant();
    const t = tenant.tenantId;
    await world.operate(ROUTE, { t, name: 'siem', id: await aDestination(t, 'relp') });
    const [rule] = (
      await world.operate(`{ detectionRules(tenantId: "${t}") { ruleId title } }`)
    ).detectionRules.filter(({ title }: { title: string }) => title.startsWith('Trace or C2 off'));
    const found: (readonly unknown[])[] = [];
    for (const severity of ['low', 'medium', 'high', 'critical']) {
      await world.operate(
        `mutation { tuneRule(tenantId: "${t}", ruleId: "${rule.ruleId}", severity: "${severity}") { version } }`,
      );
      await tenant.ingest([anEvent({ actionId: 'TASP', serverPrincipalName: severity })]);
      const [one] = await until(
        () => told((body) => body.tenantId === t && body.severity === severity),
        ({ length }) => length > 0,
      );
      found.push([severity, one?.head[0]]);
    }
    expect(found).toEqual([
      ['low', '109'],
      ['medium', '108'],
      ['high', '107'],
      ['critical', '106'],
    ]);
  });

  it('cause one alert, told by mail, when the syslog server is away, and arrive when it is back', async () => {
    const tenant = await world.tenant();
    const t = tenant.tenantId;
    const id = await aDestination(t, 'relp');
    await world.operate(ROUTE, { t, name: 'siem', id });
    await world.operate(ROUTE, { t, name: 'siem too', id, format: 'ocsf' });
    await world.operate(ROUTE, { t, name: 'soc', emails: ['soc@example.com'] });
    const client = new Client({ connectionString: world.database.databaseUrl ?? '' });
    await client.connect();
    await rsyslog.stop();
    await tenant.ingest([anEvent({ actionId: 'TASP' }), anEvent({ actionId: 'C2OF' })]);
    const failing = async () => {
      // Repeats failed notices at once, not after their wait.
      await client.query(
        'UPDATE alert_notice SET next_at = now() WHERE sent_at IS NULL AND error IS NOT NULL',
      );
      return (await alertsOf(t)).filter(
        ({ group }) => (group as { problem?: string }).problem === CHANNEL_FAILS,
      );
    };
    const triesOf = async () =>
      (await client.query('SELECT max(tries) AS n FROM alert_notice WHERE tenant_id = $1', [Number(t)]))
        .rows[0].n;
    await until(failing, ({ length }) => length > 0);
    await until(
      async () => {
        await failing();
        return triesOf();
      },
      (tries) => tries >= 8,
    );
    const found = await failing();
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ severity: 'high', status: 'new', findingCount: 0 });
    const aboutIt = () => mail.mails.filter(({ text }) => text.includes(String(found[0]?.alertId)));
    await until(aboutIt, ({ length }) => length > 0);
    await rsyslog.startAgain();
    const others = (await alertsOf(t)).filter(({ alertId }) => alertId !== found[0]?.alertId);
    await until(
      async () => {
        await failing();
        return told(({ tenantId }) => tenantId === t);
      },
      ({ length }) => length >= others.length,
    );
    const siem = await told(({ tenantId }) => tenantId === t);
    expect(new Set(siem.map(({ body }) => body.alertId))).toEqual(
      new Set(others.map(({ alertId }) => alertId)),
    );
    expect(aboutIt()).toHaveLength(1);
    await client.end();
  });
});
