import { runCli } from '../support/cli';
import { ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { useWorld } from '../support/use-world';
import { change, createDestination, LOCAL, shown, untilShown } from './support/destinations';
import { Receiver } from './support/receiver';

describe.each(ENGINES.slice(-1))('operators on %s', (engine) => {
  const use = useWorld(engine, LOCAL);
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.open();
  });
  afterAll(() => receiver.close());

  const cli = (...args: string[]) =>
    runCli(['destination', ...args], {
      AUDIT_ACTIVITY_URL: use.world.service.url,
      AUDIT_ACTIVITY_OPERATOR_KEY: use.world.operatorKey,
    });

  it('make, list, test, pause, resume, replay, rotate and remove a destination with commands', async () => {
    const tenant = await use.world.tenant();
    await tenant.audited();
    const made = await cli(
      ...[
        'create',
        '--name',
        'siem',
        '--tenant',
        tenant.tenantId,
        '--type',
        'webhook',
        '--url',
        receiver.url,
      ],
      ...['--from', 'beginning', '--json'],
    );
    expect(made.error).toBeNull();
    const { destinationId, secret } = JSON.parse(made.lines[0] ?? '');
    expect(secret).toMatch(/^whsec_/);
    await untilShown(use.world, destinationId, ({ delivered }) => delivered === 1);
    const { url } = use.world.service;
    expect((await cli('list', '--service-url', url)).lines.join()).toContain(destinationId);
    expect((await cli('list', '--service', url)).lines.join()).toContain(destinationId);
    expect((await cli('test', destinationId)).lines).toEqual(['the test was accepted']);
    expect((await cli('pause', destinationId)).lines[0]).toContain('paused');
    expect((await cli('resume', destinationId)).lines[0]).toContain('active');
    expect((await cli('replay', destinationId, '--from', 'beginning')).lines[0]).toContain('at position 0');
    const rotated = await cli('rotate-secret', destinationId, '--overlap-minutes', '5', '--json');
    expect(JSON.parse(rotated.lines[0] ?? '').secret).toMatch(/^whsec_/);
    expect((await cli('set-aside', destinationId)).lines).toEqual(['none']);
    expect((await cli('remove', destinationId)).lines).toEqual([`destination ${destinationId} is removed`]);
    expect((await cli('pause', destinationId)).error).toContain('not_found');
  });

  it('change settings, filter, format and URL of a destination, which goes on at its position', async () => {
    const tenant = await use.world.tenant();
    const moved = await Receiver.open();
    const args = ['--name', 'siem', '--tenant', tenant.tenantId, '--type', 'webhook', '--from', 'beginning'];
    await tenant.ingest([anEvent({ statement: 'first' })]);
    const made = await cli('create', ...args, '--url', receiver.url, '--filter', 'actionId:SL', '--json');
    const { destinationId } = JSON.parse(made.lines[0] ?? '');
    await untilShown(use.world, destinationId, ({ delivered }) => delivered === 1);
    expect((await cli('update', destinationId, '--name', 'renamed')).error).toBeNull();
    const changes = ['--url', moved.url, '--format', 'cef', '--omit-empty', '--without-additional'];
    const updated = await cli('update', destinationId, ...changes, '--encoding', 'ndjson', '--json');
    expect(JSON.parse(updated.lines[0] ?? '')).toMatchObject({
      name: 'renamed',
      format: 'cef',
      filter: 'actionId:SL',
      settings: { encoding: 'ndjson', omitEmpty: true, withoutAdditional: true, signature: 'v1' },
      position: '1',
      delivered: 1,
    });
    await tenant.ingest([anEvent({ actionId: 'IN' }), anEvent({ statement: 'a|b=c' })]);
    await untilShown(use.world, destinationId, ({ delivered }) => delivered === 2);
    const came = moved.requests.map(({ body }) => body.toString()).join('');
    expect(came).toMatch(/^CEF:0\|[^\n]*\|SL\|[^\n]* msg=a\|b\\=c\n$/);
    expect(came).not.toContain('cs6');
    const reset = await cli('update', destinationId, '--reset', 'omit-empty', '--filter', '', '--json');
    expect(JSON.parse(reset.lines[0] ?? '').settings).not.toHaveProperty('omitEmpty');
    await tenant.ingest([anEvent({ actionId: 'IN' })]);
    await untilShown(use.world, destinationId, ({ delivered }) => delivered === 3);
    expect((await cli('update', destinationId)).error).toContain('give what is to be changed');
    expect((await cli('update', destinationId, '--reset', 'colour')).error).toContain('no such option');
    await cli('remove', destinationId);
    expect((await cli('update', destinationId, '--name', 'x')).error).toContain('not_found');
    await moved.close();
  });

  it('see the secret of a new destination once, also in the output as text', async () => {
    const { tenantId } = await use.world.tenant();
    const { lines } = await cli(
      ...['create', '--name', 'siem', '--tenant', tenantId, '--type', 'webhook', '--url', receiver.url],
    );
    expect(lines.join('\n')).toMatch(/^destinationId [0-9a-f-]{36}\nsecret whsec_\S+\n/);
  });

  it('get every problem of a request in one answer', async () => {
    const { body } = await use.world.graphql(
      use.world.operatorKey,
      `mutation { createDestination(tenantId: "999", name: "", type: "webhook", url: "ftp://u:p@x", from: "yesterday",
        format: "xml", filter: "(", settings: { encoding: "csv", colour: 1 }) { destinationId } }`,
    );
    const [{ message, extensions }] = body.errors;
    expect(extensions.code).toBe('invalid_parameter');
    for (const part of [
      'tenant 999',
      'name',
      'url',
      'from',
      'format',
      'filter',
      'settings.encoding',
      'colour',
    ])
      expect(message).toContain(part);
  });

  it('are told which required setting is missing; other settings have defaults', async () => {
    const { tenantId } = await use.world.tenant();
    const create = (type: string, url = 'https://1.1.1.1') =>
      createDestination(use.world, { tenantId, type, url });
    await expect(create('splunk-hec')).rejects.toThrow('secrets.token: is missing');
    const { destinationId } = await create('elasticsearch');
    expect((await shown(use.world, destinationId)).settings).toEqual({ index: 'audit-activity' });
    await change(use.world, 'removeDestination', destinationId);
  });

  it('cannot use a host without encryption when its name does not resolve', async () => {
    const { tenantId } = await use.world.tenant();
    const url = 'http://nobody.invalid/hook';
    await expect(createDestination(use.world, { tenantId, url })).rejects.toThrow(
      'nobody.invalid is not known, and without encryption',
    );
    const { destinationId } = await createDestination(use.world, {
      tenantId,
      url: url.replace('http', 'https'),
    });
    await change(use.world, 'removeDestination', destinationId);
  });

  it.each([
    ...[
      'http://169.254.169.254/latest/meta-data',
      'http://10.0.0.1/',
      'https://192.168.0.1',
      'http://[fd00:ec2::254]/',
    ],
    ...['http://93.184.215.14/'],
  ])('cannot point a webhook at %s', async (url) => {
    const { tenantId } = await use.world.tenant();
    await expect(createDestination(use.world, { tenantId, url })).rejects.toThrow(
      'DESTINATION_ALLOW_NETWORKS',
    );
  });

  it('leave an entry in the access log for each change, and no secret in any log or answer', async () => {
    const { tenantId } = await use.world.tenant();
    const header = 'Bearer very-secret-header';
    const { destinationId, secret } = await createDestination(use.world, {
      tenantId,
      url: `${receiver.url}/?sig=very-secret-query`,
      from: 'now',
      secrets: { headers: { Authorization: header } },
    });
    await use.world.operate(`mutation { testDestination(destinationId: "${destinationId}") { accepted } }`);
    // Destinations of earlier cases send to this receiver too.
    const test = receiver.requests.find(({ path }) => path === '/?sig=very-secret-query');
    expect(test).toMatchObject({ headers: { authorization: header } });
    const { accessLog } = await use.world.operate(
      `{ accessLog(tenantId: "${tenantId}") { entries { operation subject parameters } } }`,
    );
    const changes = accessLog.entries.filter(({ subject }: { subject: string }) => subject === destinationId);
    expect(changes.map(({ operation }: { operation: string }) => operation)).toEqual([
      'testDestination',
      'createDestination',
    ]);
    const everywhere = [
      ...[JSON.stringify(accessLog), use.world.logLines.join('\n')],
      JSON.stringify(await shown(use.world, destinationId)),
    ].join('\n');
    for (const text of ['very-secret', secret ?? '-', (secret ?? '-').slice('whsec_'.length)])
      expect(everywhere).not.toContain(text);
  });

  it('are the only callers who may do any of it', async () => {
    const tenant = await use.world.tenant();
    for (const key of [tenant.key, tenant.agentKey]) {
      const { body } = await use.world.graphql(key, '{ destinations { destinationId } }');
      expect(body.errors[0].extensions.code).toBe('forbidden');
    }
  });
});
