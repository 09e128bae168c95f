import { createDestination, LOCAL, untilShown } from '../destinations/support/destinations';
import { itemsOf, Receiver } from '../destinations/support/receiver';
import { BUCKET, LOGIN, ObjectStore } from '../destinations/support/s3';
import { StrictSplunk } from '../destinations/support/strict-splunk';
import { MailServer } from '../detection/support/mail-server';
import { describeOnPostgres, type TestDatabase } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { TestTenant, World } from '../support/world';
import { Backup, epochOf, finish, healthOf, untilSettled } from './support/backup';

const PATH = '/audit-activity/tail';
const [BEFORE, AFTER] = [20, 100];
/** Makes an alert. */
const TRACE_OFF = { actionId: 'TASP' };
const HEC = 'hec-token';
const ROUTE = `mutation($t: String!) {
  createAlertRoute(tenantId: $t, name: "soc", emails: ["soc@example.com"], severity: "low") { routeId } }`;

jest.setTimeout(240_000);

/** A backup is restored on a new server while the old service goes on. */
describeOnPostgres('a restored copy beside the service it was made of', () => {
  let receiver: Receiver;
  let splunkReceiver: Receiver;
  let splunk: StrictSplunk;
  let store: ObjectStore;
  let mail: MailServer;
  let live: World;
  let copy: World;
  let copied: TestDatabase;
  let backup: Backup;
  let acme: TestTenant;
  let ids: readonly string[];
  let cursor: string;
  let lastReceivedAt: string;

  const events = (n: number, mark: string) =>
    Array.from({ length: n }, (_, i) => anEvent({ statement: `${mark} ${i}` }));
  const delivered = (world: World, n: number) =>
    Promise.all(ids.map((id) => untilShown(world, id, (one) => one.delivered >= n)));
  const settings = () => ({ ...LOCAL, mail: { url: mail.url, from: 'audit@example.com' } });
  /** @returns everything from a place on */
  const drain = async (world: World, place: Readonly<Record<string, string>>) => {
    const statements: string[] = [];
    for (let query = place; ; ) {
      const { status, body } = await world.get(PATH, acme.key, { query: { ...query, limit: 5000 } });
      expect([status, body.error]).toEqual([200, undefined]);
      statements.push(...body.data.map(({ statement }: { statement: string }) => statement));
      if (body.data.length > 0) lastReceivedAt = body.data.at(-1).receivedAt;
      query = { cursor: body.meta.nextCursor };
      if (body.meta.caughtUp) return { statements, cursor: body.meta.nextCursor as string };
    }
  };
  const ofMark = (statements: readonly string[], mark: string) =>
    new Set(statements.filter((one) => one.startsWith(`${mark} `))).size;
  const sizeOf = async (world: World) => Number((await world.get('/audit-log', acme.key)).body.data.size);

  beforeAll(async () => {
    [receiver, splunkReceiver, store, mail] = await Promise.all([
      Receiver.open(),
      Receiver.open(),
      ObjectStore.open(),
      MailServer.open(),
    ]);
    splunk = new StrictSplunk(HEC, false);
    splunkReceiver.answers = (request) => splunk.answer(request);
    live = await World.open('postgresql', settings());
    acme = await live.tenant();
    const { tenantId } = acme;
    const made = await Promise.all([
      createDestination(live, { tenantId, url: receiver.url }),
      createDestination(live, {
        tenantId,
        type: 'splunk-hec',
        url: splunkReceiver.url,
        secrets: { token: HEC },
      }),
      createDestination(live, {
        tenantId,
        type: 's3',
        url: store.url,
        settings: { bucket: BUCKET },
        secrets: LOGIN,
      }),
    ]);
    ids = made.map(({ destinationId }) => destinationId);
    await live.operate(ROUTE, { t: tenantId });
    await acme.ingest(events(BEFORE, 'before'));
    await delivered(live, BEFORE);
    backup = await Backup.of(live.database);
    await acme.ingest(events(AFTER, 'live'));
    await delivered(live, BEFORE + AFTER);
    ({ cursor } = await drain(live, { from: 'beginning' }));
    copied = await backup.restored();
    copy = await World.on(copied, settings());
    await copy.graphql(acme.agentKey, INGEST, {
      batch: { events: [...events(AFTER, 'copy'), anEvent(TRACE_OFF)] },
    });
    await until(
      () => sizeOf(copy),
      (size) => size === BEFORE + AFTER + 1,
    );
  });
  afterAll(async () => {
    await copy?.service.close();
    await copied?.drop();
    await live?.close();
    await backup?.remove();
    await Promise.all([receiver.close(), splunkReceiver.close(), store.close(), mail.close()]);
  });

  it('has another epoch, is Degraded, and sends nothing: not even an alert by mail', async () => {
    await until(
      () => copy.operate(`{ tenantAlerts(tenantId: "${acme.tenantId}") { totalCount } }`),
      ({ tenantAlerts }) => tenantAlerts.totalCount > 0,
    );
    await untilSettled(copy, acme.tenantId);
    const [of, ofLive] = [await epochOf(copy), await epochOf(live)];
    expect(of).toMatchObject({ cause: 'copy', hold: expect.stringContaining('finish-restore --go') });
    expect(ofLive).toMatchObject({ cause: 'first', hold: null });
    expect(of.epoch > ofLive.epoch).toBe(true);
    const { destinations } = await copy.operate('{ destinations { state pauseReason } }');
    expect(destinations).toEqual(ids.map(() => ({ state: 'paused', pauseReason: of.hold })));
    expect([await healthOf(copy), await healthOf(live)]).toEqual(['Degraded', 'Healthy']);
    const got = receiver.requests.flatMap(itemsOf).map(({ statement }) => statement);
    expect([ofMark(got, 'live'), ofMark(got, 'copy')]).toEqual([AFTER, 0]);
    expect([splunk.events.length, mail.mails.length]).toEqual([BEFORE + AFTER, 0]);
  });

  it('refuses a cursor of the live service, with the advice by which nothing is missed', async () => {
    const refused = await copy.get(PATH, acme.key, { query: { cursor } });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'cursor_of_earlier_log']);
    expect(refused.body.error.message).toContain('from=<receivedAt of the last event you have>');
    const { beganAt } = await epochOf(copy);
    expect(refused.body.error.message).toContain(`from=${beganAt} if that is earlier`);
    const from = lastReceivedAt < beganAt ? lastReceivedAt : beganAt;
    const { statements, cursor: next } = await drain(copy, { from });
    expect(ofMark(statements, 'copy')).toBe(AFTER);
    expect((await copy.get(PATH, acme.key, { query: { cursor: next } })).status).toBe(200);
    expect((await live.get(PATH, acme.key, { query: { cursor } })).status).toBe(200);
  });

  it('lets one destination go, and after the go sends all, under ids and names of its own', async () => {
    const webhookIds = () => receiver.requests.map(({ headers }) => headers['webhook-id']);
    const [before, archived] = [new Set(webhookIds()), await store.objects()];
    const sent = receiver.requests.length;
    await copy.operate('mutation($id: String!) { resumeDestination(destinationId: $id) { state } }', {
      id: ids[0],
    });
    const all = BEFORE + AFTER + 1;
    await untilShown(copy, ids[0] ?? '', (one) => one.delivered >= all);
    const news = receiver.requests.slice(sent);
    const statements = news.flatMap(itemsOf).map(({ statement }) => statement);
    expect(ofMark(statements, 'copy')).toBe(AFTER);
    expect(news.filter(({ headers }) => before.has(headers['webhook-id']))).toEqual([]);
    expect([splunk.events.length, mail.mails.length]).toEqual([BEFORE + AFTER, 0]);
    expect(await store.objects()).toEqual(archived);

    const { epoch, hold } = await finish(copy, '(go: true)');
    expect([hold, epoch]).toEqual([null, (await epochOf(copy)).epoch]);
    await delivered(copy, all);
    await until(
      () => mail.mails.length,
      (count) => count > 0,
    );
    expect(
      ofMark(
        splunk.events.map(({ event }) => event.statement),
        'copy',
      ),
    ).toBe(AFTER);
    const objects = await store.objects();
    for (const [name, lines] of archived) expect([name, objects.get(name)]).toEqual([name, lines]);
    const added = [...objects.keys()].filter((name) => !archived.has(name));
    expect(added.length).toBeGreaterThan(0);
    for (const name of added) expect(name).toContain(`tenant-${acme.tenantId}/${epoch}/`);
    expect(added.every((name) => [...archived.keys()].every((old) => name > old))).toBe(true);
    expect(await healthOf(copy)).toBe('Healthy');
    const { renewed, finished } = await copy.operate(`{
      renewed: accessLog(operation: "renewLogEpoch") { entries { subject principalKind } }
      finished: accessLog(operation: "finishRestore") { entries { subject principalKind } } }`);
    expect(renewed.entries).toEqual([{ subject: epoch, principalKind: 'service' }]);
    expect(finished.entries).toEqual([{ subject: epoch, principalKind: 'operator' }]);
  });

  it('keeps its epoch at the next start, and a second copy of the backup has another one', async () => {
    const { epoch } = await epochOf(copy);
    await copy.service.close();
    copy = await World.on(copied, settings());
    expect(await epochOf(copy)).toMatchObject({ epoch, hold: null });
    const again = await backup.restored();
    const second = await World.on(again, settings());
    expect(await epochOf(second)).toMatchObject({ cause: 'copy', hold: expect.any(String) });
    expect((await epochOf(second)).epoch).not.toBe(epoch);
    await second.service.close();
    await again.drop();
  });
});

const INGEST = 'mutation($batch: AuditEventBatch!) { ingestAuditEvents(batch: $batch) { accepted } }';
