import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { createDestination, LOCAL } from '../destinations/support/destinations';
import { Receiver } from '../destinations/support/receiver';
import { MailServer } from '../detection/support/mail-server';
import { describeOnPostgres, type TestDatabase } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useLimits } from '../support/use-limits';
import { type TestTenant, World } from '../support/world';
import { Backup, finish, untilSettled } from './support/backup';

const DAY_MS = 86_400_000;
const CREATE = `mutation($t: String!, $name: String!, $emails: [String!], $destinationId: String) {
  createReportSchedule(tenantId: $t, name: $name, reportId: "log-ons", cron: "0 6 * * *", period: "schedule",
    timeZone: "UTC", emails: $emails, destinationId: $destinationId) { scheduleId } }`;
const SCHEDULES = `query($t: String!) { reportSchedules(tenantId: $t) {
  scheduleId name paused nextRunAt lastRunId pendingRunId lastError failures } }`;
const KEPT = `query($t: String!) {
  tenants { tenantId retentionDays }
  complianceDeclarations(tenantId: $t) { declarationId kind reason }
  holds(tenantId: $t) { holdId reason }
  reportSchedules(tenantId: $t) { scheduleId name }
}`;

const hashOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

jest.setTimeout(240_000);

/** A backup of a service with schedules of reports is restored after their next time. */
describeOnPostgres('schedules of reports in a restored copy', () => {
  useLimits({ reportScheduleMs: 100, reportClearMs: 150 });
  let receiver: Receiver;
  let mail: MailServer;
  let live: World;
  let copy: World;
  let copied: TestDatabase;
  let backup: Backup;
  let acme: TestTenant;
  let key: string;
  let ids: { readonly mailed: string; readonly posted: string };
  /** The answer of the run that was made, and not sent, when the backup was made. */
  let waiting: { readonly runId: string; readonly manifest: string; readonly note: string };
  let kept: object;
  /** Mails, and messages to the destination. */
  let sentLive: readonly number[];

  const settings = () => ({ ...LOCAL, mail: { url: mail.url, from: 'audit@example.com' } });
  const schedule = async (world: World, scheduleId: string) =>
    (await world.operate(SCHEDULES, { t: acme.tenantId })).reportSchedules.find(
      (one: { scheduleId: string }) => one.scheduleId === scheduleId,
    );
  const runOf = async (world: World, runId: string) =>
    (await world.get(`/reports/runs/${runId}`, key)).body.data;
  const isSent = (world: World, scheduleId: string) =>
    until(
      () => schedule(world, scheduleId),
      (one) => one.lastRunId !== null && one.pendingRunId === null,
    );
  const reportsPosted = () =>
    receiver.requests.filter(({ body }) => body.toString().includes('"type":"report"'));
  const bytesOf = async (runId: string, format: string) => {
    const answer = await fetch(
      `${copy.service.url}/api/v1/public/reports/runs/${runId}/content?format=${format}`,
      { headers: { 'X-Api-Key': key } },
    );
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
  };
  const sendNow = (world: World, scheduleId: string) =>
    world.graphql(
      world.operatorKey,
      `mutation { sendReportScheduleNow(tenantId: "${acme.tenantId}",
      scheduleId: "${scheduleId}") { scheduleId } }`,
    );

  beforeAll(async () => {
    [receiver, mail] = await Promise.all([Receiver.open(), MailServer.open()]);
    live = await World.open('postgresql', settings());
    acme = await live.tenant();
    const t = acme.tenantId;
    key = (await live.key({ tenantIds: [t], scopes: ['read:reports', 'read:audit-activity'] })).key;
    const eventTime = new Date(Date.now() - DAY_MS / 2).toISOString().replace('Z', '0000Z');
    await acme.ingest([anEvent({ eventTime, actionId: 'LGIF', succeeded: false })]);
    await live.operate(`mutation { createHold(tenantId: "${t}", reason: "case 7") { holdId } }`);
    await live.operate(`mutation { declareCompliance(tenantId: "${t}", kind: sensitive, databaseName: "Payroll", schemaName: "dbo",
      objectName: "x", reason: "r") {
      declarationId } }`);
    const { destinationId } = await createDestination(live, {
      tenantId: t,
      url: receiver.url,
      filter: 'objectName:nothing',
    });
    const made = async (name: string, to: object) =>
      (await live.operate(CREATE, { t, name, ...to })).createReportSchedule.scheduleId as string;
    ids = {
      mailed: await made('mailed', { emails: ['auditor@example.com'] }),
      posted: await made('posted', { destinationId }),
    };
    // The receiver is away: this run is made and waits.
    receiver.answers = () => ({ status: 503 });
    await sendNow(live, ids.posted);
    const { pendingRunId } = await until(
      () => schedule(live, ids.posted),
      (one) => one.failures > 0,
    );
    waiting = await runOf(live, pendingRunId);
    kept = await live.operate(KEPT, { t });
    backup = await Backup.of(live.database);

    // After the backup, the live service sends it, and a run of the other schedule.
    receiver.answers = () => ({ status: 200 });
    for (const id of [ids.posted, ids.mailed]) await sendNow(live, id);
    await isSent(live, ids.posted);
    await isSent(live, ids.mailed);
    await live.service.close();
    sentLive = [mail.mails.length, reportsPosted().length];
    copied = await backup.restored();
    const client = new Client({ connectionString: copied.databaseUrl ?? '' });
    await client.connect();
    // Three times of each passed between the backup and the restore.
    await client.query(`UPDATE report_schedule SET due_at = due_at - interval '3 days',
      covered_until = covered_until - interval '3 days'`);
    await client.end();
    copy = await World.on(copied, settings());
  });
  afterAll(async () => {
    await copy?.service.close();
    await copied?.drop();
    await live?.database.drop();
    await backup?.remove();
    await Promise.all([receiver.close(), mail.close()]);
  });

  it('make and send nothing before an operator says go, and keep what was declared and held', async () => {
    await untilSettled(copy, acme.tenantId);
    expect(sentLive).toEqual([1, 2]);
    expect([mail.mails.length, reportsPosted().length]).toEqual(sentLive);
    expect(await schedule(copy, ids.posted)).toMatchObject({ pendingRunId: waiting.runId, lastRunId: null });
    expect(await schedule(copy, ids.mailed)).toMatchObject({ pendingRunId: null, lastRunId: null });
    expect(await copy.operate(KEPT, { t: acme.tenantId })).toEqual(kept);
  });

  it('have the runs of the backup as they were signed', async () => {
    const { manifest, note } = await runOf(copy, waiting.runId);
    expect([manifest, note]).toEqual([waiting.manifest, waiting.note]);
    const { files } = JSON.parse(manifest);
    for (const { format, sha256 } of files) {
      const { body, status } = await bytesOf(waiting.runId, format);
      expect([status, hashOf(body)]).toEqual([200, sha256]);
    }
  });

  it('send after the go what waited, and one run for all times that passed, once', async () => {
    expect((await finish(copy, '(go: true)')).hold).toBeNull();
    // What waited is sent first, and then the times that passed have their run.
    const isThrough = (id: string) =>
      until(
        () => schedule(copy, id),
        (one) => one.pendingRunId === null && Date.parse(one.nextRunAt) > Date.now(),
      );
    const through = [await isThrough(ids.mailed), await isThrough(ids.posted)];
    // The receiver can tell that it has this one already.
    const sent = reportsPosted().filter(({ body }) => body.includes(waiting.runId));
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect([mail.mails.length, sent.length]).toEqual(sentLive.map((n) => n + 1));
    const newer = await Promise.all(through.map(({ lastRunId }) => runOf(copy, lastRunId)));
    for (const { startTime, endTime } of newer)
      expect(Date.parse(endTime) - Date.parse(startTime)).toBe(3 * DAY_MS);
    const numberOf = ({ manifest }: { manifest: string }) => JSON.parse(manifest).number as number;
    const chain = [waiting, ...newer.sort((x, y) => numberOf(x) - numberOf(y))];
    expect(chain.map(numberOf)).toEqual([1, 2, 3]);
    for (const [n, { manifest }] of chain.entries())
      expect(JSON.parse(manifest).previous).toBe(n === 0 ? null : hashOf(chain[n - 1]?.manifest ?? ''));
  });
});
