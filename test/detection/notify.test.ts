import { ANY_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { World } from '../support/world';
import { MailServer } from './support/mail-server';

const ROUTE = `mutation($t: String!, $emails: [String!]!, $severity: String) {
  createAlertRoute(tenantId: $t, name: "soc", emails: $emails, severity: $severity) { routeId emails severity } }`;

describe('alerts', () => {
  let mail: MailServer;
  let world: World;
  beforeAll(async () => {
    mail = await MailServer.open();
    world = await World.open(ANY_ENGINE, {
      mail: { url: mail.url, from: 'audit@example.com' },
    });
  });
  afterAll(async () => {
    await world.close();
    await mail.close();
  });

  it('are told by mail once for each state, to routes of their severity', async () => {
    const tenant = await world.tenant();
    const t = tenant.tenantId;
    await world.operate(ROUTE, { t, emails: ['soc@example.com'], severity: 'high' });
    await world.operate(ROUTE, { t, emails: ['boss@example.com'], severity: 'critical' });
    const added = { actionId: 'APRL', objectName: 'sysadmin', additional: { classType: 'SG' } };
    await tenant.ingest([anEvent(added), anEvent({ actionId: 'TASP' })]);
    await until(
      () => mail.mails.length,
      (count) => count > 0,
    );
    const { tenantAlerts } = await world.operate(
      `{ tenantAlerts(tenantId: "${t}", severity: "high") { items { alertId } } }`,
    );
    const { alertId } = tenantAlerts.items[0];
    await world.operate(`mutation { acknowledgeAlert(alertId: "${alertId}") { status } }`);
    const mails = await until(
      () => mail.mails,
      (some) => some.length >= 2,
    );
    expect(mails).toHaveLength(2);
    for (const { to } of mails) expect(to).toEqual(['soc@example.com']);
    expect(mails[0]?.text).toContain('Subject: [high] Server role granted');
    expect(mails[0]?.text).toContain(`Message-ID: <${alertId}.new@audit-activity>`);
    expect(mails[1]?.text).toContain(`Message-ID: <${alertId}.acknowledged@audit-activity>`);
  });

  it('are told after the mail server refused them, once it accepts mail again', async () => {
    const tenant = await world.tenant();
    await world.operate(ROUTE, { t: tenant.tenantId, emails: ['late@example.com'] });
    mail.isRefusing = true;
    await tenant.ingest([anEvent({ actionId: 'TASP' })]);
    await until(
      () => world.operate(`{ tenantAlerts(tenantId: "${tenant.tenantId}") { totalCount } }`),
      ({ tenantAlerts }) => tenantAlerts.totalCount > 0,
    );
    mail.isRefusing = false;
    const mails = await until(
      () => mail.mails.filter((one) => one.to.includes('late@example.com')),
      (some) => some.length > 0,
    );
    expect(mails[0]?.text).toContain('Trace or C2 off');
  });
});
