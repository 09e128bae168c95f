import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DestinationManager } from '../../../src/modules/destinations/manage-destinations';
import { runCli } from '../../support/cli';
import { temporaryFolder } from '../../support/engines';
import { OPERATOR, openFakeService } from '../../support/fake-service';
import { SharedDestination } from './support/shared-destination';

const isAttempt = (value: unknown) => typeof value === 'object' && value !== null && 'principalKind' in value;

describe('commands for destinations', () => {
  const shared = new SharedDestination(['SELECT 1', 'SELECT 2'], {
    settings: { url: 'https://siem.example/', encoding: 'json' },
    position: 1,
  });
  const { destinationId } = shared.row;
  const asked: unknown[][] = [];
  let service: Awaited<ReturnType<typeof openFakeService>>;
  let tested: object = { kind: 'accepted' };
  let rotated: object = { destinationId, secret: null, publicKey: null, overlapEndsAt: null };
  beforeAll(async () => {
    const answers: Readonly<Record<string, () => unknown>> = {
      create: () => ({ destinationId, secret: 'whsec_new', publicKey: null }),
      list: () => [shared.row],
      test: () => tested,
      rotateSecret: () => rotated,
      setAside: () => [{ position: 1, recordId: 'r', message: 'HTTP 400', at: new Date(0) }],
    };
    const manager = new Proxy({} as DestinationManager, {
      get: (_, name: string) =>
        name === 'publicKey'
          ? () => null
          : async (...args: unknown[]) => {
              asked.push([name, ...args.filter((arg) => !isAttempt(arg))]);
              return answers[name]?.() ?? shared.row;
            },
    });
    service = await openFakeService({ destinations: manager, principal: OPERATOR });
  });
  afterAll(() => service.close());
  beforeEach(() => {
    asked.length = 0;
  });

  const run = (...args: string[]) =>
    runCli(['destination', ...args], { AUDIT_ACTIVITY_URL: service.url, AUDIT_ACTIVITY_OPERATOR_KEY: 'k' });
  const CREATE = [
    'create',
    '--name',
    'siem',
    '--tenant',
    '7',
    '--type',
    'webhook',
    '--url',
    'https://siem.example/',
  ];
  const REQUEST = { name: 'siem', tenantId: '7', type: 'webhook', url: 'https://siem.example/' };

  it('create a destination that sends from now on, every event, in the native format, unless told otherwise', async () => {
    expect((await run(...CREATE)).lines).toEqual([
      `destinationId ${destinationId}\nsecret whsec_new\nThis is the only time the secret is shown.`,
    ]);
    expect(asked).toEqual([
      ['create', { ...REQUEST, filter: '', format: 'native', settings: {}, secrets: {} }, 'now'],
    ]);
  });

  it('create a destination with everything that is given', async () => {
    const ca = path.join(await temporaryFolder(), 'ca.pem');
    await writeFile(ca, 'PEM');
    const settings = {
      encoding: 'ndjson',
      signature: 'v1a',
      acknowledge: true,
      index: 'i',
      source: 's',
      sourcetype: 't',
      pipeline: 'p',
      bucket: 'b',
      region: 'r',
      prefix: 'x/',
      appName: 'a',
      ca: 'PEM',
    };
    const { error } = await run(
      ...[...CREATE, '--from', 'beginning', '--filter', 'actionId:IN', '--format', 'ocsf', '--acknowledge'],
      ...['--encoding', 'ndjson', '--signature', 'v1a', '--index', 'i', '--source', 's', '--sourcetype', 't'],
      ...['--pipeline', 'p', '--bucket', 'b', '--region', 'r', '--prefix', 'x/', '--app-name', 'a'],
      ...['--ca-file', ca, '--header', 'X-A: b:c', '--header', 'X-D:e'],
    );
    expect(error).toBeNull();
    const secrets = { headers: { 'X-A': 'b:c', 'X-D': 'e' } };
    expect(asked).toEqual([
      ['create', { ...REQUEST, filter: 'actionId:IN', format: 'ocsf', settings, secrets }, 'beginning'],
    ]);
  });

  it.each([
    [
      'webhook',
      'Authorization: Bearer a:b\n\n X-B :c\r\n',
      [],
      { headers: { Authorization: 'Bearer a:b', 'X-B': 'c' } },
    ],
    ['splunk-hec', 'tok\n', [], { token: 'tok' }],
    ['elasticsearch', 'key', [], { apiKey: 'key' }],
    ['elasticsearch', 'pass', ['--username', 'me'], { username: 'me', password: 'pass' }],
    ['s3', 'sec', ['--access-key-id', 'AK'], { accessKeyId: 'AK', secretAccessKey: 'sec' }],
    ['relp', '{"clientKey":"x"}', [], { clientKey: 'x' }],
  ])('take the secret of %s from a file that holds %j', async (type, text, options, secrets) => {
    const file = path.join(await temporaryFolder(), 'secret');
    await writeFile(file, text);
    const { error } = await run(...CREATE, '--type', type, '--secret-file', file, ...options);
    expect([error, asked[0]?.[1]]).toEqual([null, expect.objectContaining({ type, secrets })]);
  });

  it('take the new secret of a destination as its type says, whatever the case of its id', async () => {
    const file = path.join(await temporaryFolder(), 'secret');
    await writeFile(file, 'X-A: b');
    await run('rotate-secret', destinationId.toUpperCase(), '--secret-file', file, '--overlap-minutes', '0');
    expect(asked.slice(-1)).toEqual([
      [
        'rotateSecret',
        destinationId.toUpperCase(),
        { overlapMinutes: 0, secrets: { headers: { 'X-A': 'b' } } },
      ],
    ]);
    const unknown = await run('rotate-secret', '00000000-0000-4000-8000-000000000000', '--secret-file', file);
    expect(unknown.error).toContain('There is no such destination');
  });

  it.each(['pause', 'resume', 'remove'])('%s one destination, and no other', async (name) => {
    const { lines } = await run(name, destinationId);
    expect(asked).toEqual([[name, destinationId]]);
    const text = name === 'remove' ? 'is removed' : ': active, at position 1, 1 behind';
    expect(lines).toEqual([`destination ${destinationId}${name === 'remove' ? ' ' : ''}${text}`]);
  });

  it('list destinations of one tenant or of all, without their secrets', async () => {
    const { lines } = await run('list', '--tenant', '7', '--json');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject([
      { destinationId, tenantId: '7', position: '1', lagEvents: 1 },
    ]);
    const table = (await run('list')).lines[0] ?? '';
    expect(table.split('\n')).toHaveLength(2);
    expect(table).toContain(destinationId);
    expect(table).not.toContain('settings');
    expect(asked).toEqual([
      ['list', '7'],
      ['list', null],
    ]);
  });

  it('replay from a position or a time, as it is given', async () => {
    await run('replay', destinationId, '--position', '5');
    await run('replay', destinationId, '--from', 'now');
    expect(asked).toEqual([
      ['replay', destinationId, { position: '5', from: null }],
      ['replay', destinationId, { position: null, from: 'now' }],
    ]);
  });

  it('fail if a test is not accepted, and say why', async () => {
    expect((await run('test', destinationId)).lines).toEqual(['the test was accepted']);
    tested = { kind: 'failed', message: 'HTTP 503' };
    const { lines, error } = await run('test', destinationId);
    expect([lines, error]).toEqual([[], expect.stringContaining('the test was not accepted: HTTP 503')]);
  });

  it('rotate a secret, with the given overlap or a day, and say until when the old one signs', async () => {
    rotated = {
      destinationId,
      secret: 'whsec_next',
      publicKey: null,
      overlapEndsAt: new Date('2026-01-06T08:00:00Z'),
    };
    expect((await run('rotate-secret', destinationId)).lines).toEqual([
      `destination ${destinationId} has a new secret\nsecret whsec_next\nThis is the only time the secret is shown.\n` +
        'The old one signs as well until 2026-01-06T08:00:00.000Z.',
    ]);
    rotated = { ...rotated, secret: null, publicKey: 'whpk_next', overlapEndsAt: null };
    const { lines } = await run('rotate-secret', destinationId, '--overlap-minutes', '5', '--token', 'abc');
    expect(lines).toEqual([`destination ${destinationId} has a new secret\npublic key whpk_next`]);
    expect(asked).toEqual([
      ['rotateSecret', destinationId, { overlapMinutes: 1_440, secrets: null }],
      ['rotateSecret', destinationId, { overlapMinutes: 5, secrets: { token: 'abc' } }],
    ]);
  });

  it('show up to 100 events that were set aside', async () => {
    const { lines } = await run('set-aside', destinationId, '--json');
    expect(asked).toEqual([['setAside', destinationId, 100]]);
    expect(JSON.parse(lines[0] ?? '')).toEqual([
      { position: '1', recordId: 'r', message: 'HTTP 400', at: '1970-01-01T00:00:00.000Z' },
    ]);
  });

  it.each([
    [['--header', ': value'], '--header must be `Name: value`'],
    [['--header', 'X-A: b', '--header', 'x-a: c'], '--header gives x-a twice'],
    [['--secret-file', '{"token":"a"}', '--token', 'b'], 'token: given by an option and by --secret-file'],
    [['--secret-file', '{"token":very-secret'], '--secret-file begins as JSON and is none'],
  ])('refuse %j, and ask the service nothing', async (options, said) => {
    const file = path.join(await temporaryFolder(), 'secret');
    await writeFile(file, options[1] ?? '');
    const given = options[0] === '--secret-file' ? ['--secret-file', file, ...options.slice(2)] : options;
    const { error } = await run(...CREATE, ...given);
    expect(error).toContain(said);
    expect(error).not.toContain('very-secret');
    expect(asked).toEqual([]);
  });
});
