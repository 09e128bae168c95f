import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createDestination, LOCAL } from '../destinations/support/destinations';
import { Receiver } from '../destinations/support/receiver';
import { BUCKET, LOGIN, ObjectStore } from '../destinations/support/s3';
import { MailServer } from '../detection/support/mail-server';
import { runCli } from '../support/cli';
import { ANY_ENGINE, temporaryFolder } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useLimits } from '../support/use-limits';
import { World } from '../support/world';

const PUBLIC_URL = 'https://audit.example.com';

describe('scheduled reports', () => {
  useLimits({ reportScheduleMs: 100 });
  let world: World;
  let mail: MailServer;
  let receiver: Receiver;
  let store: ObjectStore;
  beforeAll(async () => {
    [mail, receiver, store] = [await MailServer.open(), await Receiver.open(), await ObjectStore.open()];
    world = await World.open(ANY_ENGINE, {
      ...LOCAL,
      mail: { url: mail.url, from: 'audit@example.com' },
      publicUrl: PUBLIC_URL,
    });
  });
  afterAll(async () => {
    await world.close();
    await Promise.all([mail.close(), receiver.close(), store.stop()]);
  });

  const command = async (...args: string[]) => {
    const { lines, error } = await runCli(['report', 'schedule', ...args, '--json'], {
      AUDIT_ACTIVITY_URL: world.service.url,
      AUDIT_ACTIVITY_OPERATOR_KEY: world.operatorKey,
    });
    expect(error).toBeNull();
    return JSON.parse(lines.join('\n'));
  };
  const listed = async (tenantId: string, scheduleId: string) =>
    (await command('list', '--tenant', tenantId)).find(
      (one: { scheduleId: string }) => one.scheduleId === scheduleId,
    );
  const sent = (tenantId: string, scheduleId: string) =>
    until(
      () => listed(tenantId, scheduleId),
      (one) => one.lastRunId !== null || one.lastError !== null,
    );
  async function prepared() {
    const tenant = await world.tenant();
    const now = Date.now();
    const eventTime = new Date(now - 30 * 3_600_000).toISOString().replace('Z', '0000Z');
    await tenant.ingest([anEvent({ eventTime, actionId: 'LGIF', succeeded: false })]);
    const key = (await world.key({ tenantIds: [tenant.tenantId], scopes: ['read:reports'] })).key;
    return { tenantId: tenant.tenantId, key };
  }

  it('come by mail with a link and the files, once, and are shown when the mail server refuses them', async () => {
    const { tenantId, key } = await prepared();
    mail.busy.add('later@example.com');
    const { scheduleId } = await command(
      ...[
        'create',
        '--tenant',
        tenantId,
        '--name',
        'Log-ons of a day',
        '--report',
        'log-ons',
        '--cron',
        '0 6 29 2 *',
      ],
      ...['--email', 'auditor@example.com', 'later@example.com', '--attach', '--format', 'pdf', 'csv'],
      ...['--period', 'schedule', '--time-zone', 'Asia/Kolkata'],
    );
    await command('send-now', scheduleId, '--tenant', tenantId);
    expect(await sent(tenantId, scheduleId)).toMatchObject({
      failures: 1,
      lastError: expect.stringContaining('450'),
    });
    mail.busy.clear();
    await command('send-now', scheduleId, '--tenant', tenantId);
    const done = await until(
      () => listed(tenantId, scheduleId),
      (one) => one.lastRunId !== null,
    );
    expect(done).toMatchObject({ failures: 0, lastError: null, pendingRunId: null });
    expect(mail.mails.map(({ to }) => to)).toEqual([['auditor@example.com'], ['later@example.com']]);
    const [first] = mail.mails;
    const plain = first?.text.replace(/=\n/g, '').replaceAll('=3D', '=') ?? '';
    expect(plain).toContain(`${PUBLIC_URL}/api/v1/public/reports/runs/${done.lastRunId}/content?format=pdf`);
    expect(plain).toContain(`${PUBLIC_URL}/dashboard/reports?run=${done.lastRunId}`);
    for (const name of ['pdf', 'csv', 'run.json'])
      expect(first?.text).toContain(`log-ons-${done.lastRunId}.${name}`);
    const run = (await world.get(`/reports/runs/${done.lastRunId}`, key)).body.data;
    expect(run).toMatchObject({ reportId: 'log-ons', createdBy: 'schedule Log-ons of a day', rows: 1 });
    const { entries } = await until(
      async () =>
        (
          await world.operate(
            '{ accessLog(first: 50, operation: "makeReport") { entries { subject outcome } } }',
          )
        ).accessLog,
      (log) => log.entries.length > 0,
    );
    expect(entries).toContainEqual({ subject: done.lastRunId, outcome: 'ok' });
  });

  it('come to a webhook as a message, which is repeated under one id until it is taken', async () => {
    const { tenantId } = await prepared();
    const { destinationId } = await createDestination(world, {
      tenantId,
      url: receiver.url,
      filter: 'objectName:nothing',
    });
    receiver.answers = () => ({ status: receiver.requests.length < 2 ? 503 : 200 });
    const { scheduleId } = await command(
      ...['create', '--tenant', tenantId, '--name', 'SIEM', '--report', 'refusals', '--cron', '30 5 * * 1'],
      ...['--destination', destinationId, '--keep-days', '3'],
    );
    await command('send-now', scheduleId, '--tenant', tenantId);
    expect((await sent(tenantId, scheduleId)).lastError).toContain('503');
    await command('update', scheduleId, '--tenant', tenantId, '--name', 'SIEM again');
    const done = await until(
      () => listed(tenantId, scheduleId),
      (one) => one.lastRunId !== null,
    );
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const message = JSON.parse(receiver.requests.at(-1)?.body.toString() ?? '');
    expect(JSON.stringify(message)).toContain(done.lastRunId);
    expect(JSON.stringify(message)).toContain('"type":"report"');
  });

  it('are sent by the instance that may connect to the receiver, at once', async () => {
    const { tenantId } = await prepared();
    const { destinationId } = await createDestination(world, { tenantId, url: receiver.url });
    receiver.answers = () => ({ status: 200 });
    const other = await World.on(world.database, { mail: { url: mail.url, from: 'audit@example.com' } });
    try {
      const made = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          command(
            ...['create', '--tenant', tenantId, '--name', `SIEM ${i}`, '--report', 'refusals'],
            ...['--cron', '30 5 * * 1', '--destination', destinationId],
          ),
        ),
      );
      for (const { scheduleId } of made) await command('send-now', scheduleId, '--tenant', tenantId);
      for (const { scheduleId } of made)
        await until(
          () => listed(tenantId, scheduleId),
          (one) => one.lastRunId !== null || one.failures > 0,
        );
      const of = made.map(({ scheduleId }) => scheduleId);
      const all = await command('list', '--tenant', tenantId);
      expect(all.filter(({ scheduleId }: { scheduleId: string }) => of.includes(scheduleId))).toEqual(
        of.map(() => expect.objectContaining({ failures: 0, lastError: null, pendingRunId: null })),
      );
    } finally {
      await other.service.close();
    }
  });

  it('come to an object store as files that can be verified offline', async () => {
    const { tenantId } = await prepared();
    const { destinationId } = await createDestination(world, {
      tenantId,
      type: 's3',
      url: store.url,
      secrets: LOGIN,
      filter: 'objectName:nothing',
      settings: { bucket: BUCKET, prefix: 'kept/' },
    });
    const { scheduleId } = await command(
      ...['create', '--tenant', tenantId, '--name', 'Vault', '--report', 'activity', '--every', 'monthly'],
      ...[
        '--parameter',
        'databaseName=Payroll',
        '--format',
        'html',
        'json',
        'pdf',
        '--destination',
        destinationId,
      ],
    );
    await command('send-now', scheduleId, '--tenant', tenantId);
    const { lastRunId, lastError } = await sent(tenantId, scheduleId);
    expect(lastError).toBeNull();
    const folder = path.join(store.folder, BUCKET, `kept/tenant-${tenantId}/reports`);
    const copies = await temporaryFolder();
    for (const name of (await readdir(folder)).filter((one) => one.endsWith('._S3rver_object')))
      await writeFile(
        path.join(copies, name.replace('._S3rver_object', '')),
        await readFile(path.join(folder, name)),
      );
    const run = path.join(copies, `activity-${lastRunId}.run.json`);
    const { data } = JSON.parse(await readFile(run, 'utf8'));
    for (const { name, sha256, format } of data.files)
      if (format !== 'csv')
        expect(
          createHash('sha256')
            .update(await readFile(path.join(copies, name)))
            .digest('hex'),
        ).toBe(sha256);
    const { lines, error } = await runCli(['verify', '--report', run, '--json'], {});
    expect([error, JSON.parse(lines[0] ?? '').checked.length]).toEqual([null, 3]);
  });

  it('are refused with every problem', async () => {
    const { tenantId } = await prepared();
    const { errors } = await world
      .graphql(
        world.operatorKey,
        `mutation { createReportSchedule(tenantId: "${tenantId}", name: " ", reportId: "none", cron: "* * * * *",
        timeZone: "Mars/Olympus", formats: ["docx"], emails: ["nobody"]) { name } }`,
      )
      .then(({ body }: { body: { errors: { message: string }[] } }) => body);
    for (const part of ['name', 'reportId', 'cron', 'timeZone', 'formats', 'emails'])
      expect(errors[0]?.message).toContain(part);
  });
});
