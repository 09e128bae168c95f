import { Client } from 'pg';
import { Receiver } from '../destinations/support/receiver';
import { ChildService } from '../support/child-service';
import { createTestDatabase, describeOnPostgres, type TestDatabase } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { INGEST } from '../support/world';
import { MailServer } from './support/mail-server';

const DESTINATION = `mutation($t: String!, $url: String!) {
  createDestination(tenantId: $t, name: "soc", type: "webhook", url: $url, from: "now") { destinationId } }`;
const ROUTE = `mutation($t: String!, $emails: [String!], $destinationId: String) {
  createAlertRoute(tenantId: $t, name: "soc", emails: $emails, destinationId: $destinationId) { routeId } }`;

describeOnPostgres('an instance that is killed between telling of an alert and noting it', () => {
  let database: TestDatabase;
  let mail: MailServer;
  let receiver: Receiver;
  let client: Client;
  let service: ChildService;
  const start = () =>
    ChildService.start({
      DATABASE_URL: database.databaseUrl ?? '',
      DATA_DIR: database.dataDir,
      SMTP_URL: mail.url,
      SMTP_FROM: 'audit@example.com',
      DESTINATION_ALLOW_NETWORKS: '127.0.0.0/8',
    });
  beforeAll(async () => {
    database = await createTestDatabase('postgresql');
    [mail, receiver] = [await MailServer.open(), await Receiver.open()];
    client = new Client({ connectionString: database.databaseUrl ?? '' });
    await client.connect();
    service = await start();
  }, 120_000);
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await client?.end();
    await Promise.all([mail?.close(), receiver?.close()]);
    await database?.drop();
  });

  it('repeats a notice on each route under the same id after its restart, and tells each state of an alert', async () => {
    const operate = <T>(query: string, variables: object = {}) =>
      service.graphql<T>(service.operatorKey, query, variables);
    const { createTenant } = await operate<{ createTenant: { tenantId: string } }>(
      'mutation { createTenant(name: "test") { tenantId } }',
    );
    const t = createTenant.tenantId;
    const { createAgentKey } = await operate<{ createAgentKey: { key: string } }>(
      'mutation($t: String!) { createAgentKey(name: "test", tenantId: $t) { key } }',
      { t },
    );
    const { createDestination } = await operate<{ createDestination: { destinationId: string } }>(
      DESTINATION,
      { t, url: receiver.url },
    );
    await operate(ROUTE, { t, destinationId: createDestination.destinationId });
    await operate(ROUTE, { t, emails: ['soc@example.com'] });
    const posts = () =>
      receiver.requests.flatMap(({ body, headers }) =>
        (JSON.parse(String(body)) as { type?: string; alertId: string; status: string }[])
          .filter(({ type }) => type === 'alert')
          .map(({ alertId, status }) => ({ alertId, status, id: String(headers['webhook-id']) })),
      );
    const mailIds = () => mail.mails.map(({ text }) => /^Message-ID: (\S+)$/m.exec(text)?.[1] ?? '');
    const waiting = async () => {
      // Makes notices that a lost instance had taken due now, not after a minute.
      await client.query('UPDATE alert_notice SET next_at = now() WHERE sent_at IS NULL');
      const { rows } = await client.query(
        'SELECT count(*)::int AS n FROM alert_notice WHERE sent_at IS NULL',
      );
      return rows[0].n as number;
    };

    // Both routes have got the notice, but neither has acknowledged it when the instance ends.
    receiver.answers = () => undefined;
    let letGo = () => {};
    mail.held = new Promise((resolve) => {
      letGo = resolve;
    });
    await service.graphql(createAgentKey.key, INGEST, { batch: { events: [anEvent({ actionId: 'TASP' })] } });
    await until(() => posts().length > 0 && mail.mails.length > 0, Boolean);
    await service.stop('SIGKILL');
    receiver.answers = () => ({});
    letGo();
    mail.held = Promise.resolve();
    const { rows } = await client.query('SELECT count(*)::int AS n FROM alert_notice WHERE sent_at IS NULL');
    expect(rows[0].n).toBe(2);
    service = await start();
    await until(waiting, (count) => count === 0);
    const [first] = posts();
    expect(posts()).toEqual([first, first]);
    expect(new Set(mailIds())).toEqual(new Set([`<${first?.alertId}.new@audit-activity>`]));
    expect(mailIds()).toHaveLength(2);

    await operate(`mutation { resolveAlert(alertId: "${first?.alertId}", verdict: expected) { status } }`);
    await until(() => posts().length > 2 && mail.mails.length > 2, Boolean);
    await until(waiting, (count) => count === 0);
    expect(posts().slice(2)).toEqual([
      { ...first, status: 'resolved', id: expect.not.stringMatching(first?.id ?? '') },
    ]);
    expect(mailIds().slice(2)).toEqual([`<${first?.alertId}.resolved@audit-activity>`]);
  }, 240_000);
});
