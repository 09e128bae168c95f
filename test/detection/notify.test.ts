import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { World } from '../support/world';

/** A mail server that keeps what it is sent. */
class MailServer {
  readonly mails: string[] = [];
  isRefusing = false;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<MailServer> {
    const server = createServer();
    const made = new MailServer(server);
    server.on('connection', (socket) => {
      let data: string | null = null;
      socket.on('error', () => {});
      socket.write('220 test\r\n');
      socket.on('data', (chunk) => {
        for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
          if (data !== null) {
            if (line === '.') {
              // A header may go on in the next line.
              if (!made.isRefusing) made.mails.push(data.replaceAll('\n ', ' '));
              socket.write(made.isRefusing ? '451 later\r\n' : '250 taken\r\n');
              data = null;
            } else data += `${line}\n`;
          } else if (line === 'DATA') {
            data = '';
            socket.write('354 go on\r\n');
          } else if (line === 'QUIT') socket.end('221 bye\r\n');
          else socket.write('250 ok\r\n');
        }
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return made;
  }

  get url(): string {
    const address = this.server.address();
    return `smtp://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  close(): void {
    this.server.close();
  }
}

const ROUTE = `mutation($t: String!, $emails: [String!]!, $severity: String) {
  createAlertRoute(tenantId: $t, name: "soc", emails: $emails, severity: $severity) { routeId emails severity } }`;

describe('alerts', () => {
  let mail: MailServer;
  let world: World;
  beforeAll(async () => {
    mail = await MailServer.open();
    world = await World.open('embedded', { mail: { url: mail.url, from: 'audit@example.com' } });
  });
  afterAll(async () => {
    await world.close();
    mail.close();
  });

  it('are told by mail, once for each state, to routes of their severity', async () => {
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
    for (const one of mails) expect(one).toContain('To: soc@example.com');
    expect(mails[0]).toContain('Subject: [high] Server role granted');
    expect(mails[0]).toContain(`Message-ID: <${alertId}.new@audit-activity>`);
    expect(mails[1]).toContain(`Message-ID: <${alertId}.acknowledged@audit-activity>`);
  });

  it('that a channel does not take are told again, until it does', async () => {
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
      () => mail.mails.filter((one) => one.includes('late@example.com')),
      (some) => some.length > 0,
      20_000,
    );
    expect(mails[0]).toContain('Trace or C2 off');
  });
});
