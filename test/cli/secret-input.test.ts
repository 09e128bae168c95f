import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newKey } from '../../src/caller/key-format';
import { createDestination, LOCAL } from '../destinations/support/destinations';
import { Receiver } from '../destinations/support/receiver';
import { runBeside } from '../support/cli';
import { ANY_ENGINE, temporaryFolder } from '../support/engines';
import { useWorld } from '../support/use-world';

describe('secrets on the command line', () => {
  const open = useWorld(ANY_ENGINE, LOCAL);
  let folder: string;
  let receiver: Receiver;
  beforeAll(async () => {
    folder = await temporaryFolder();
    receiver = await Receiver.open();
  });
  afterAll(async () => {
    await receiver.close();
    await rm(folder, { recursive: true });
  });

  const file = async (text: string) => {
    const name = path.join(folder, `${Math.random()}`);
    await writeFile(name, text);
    return name;
  };
  const env = () => ({
    AUDIT_ACTIVITY_URL: open.world.service.url,
    AUDIT_ACTIVITY_OPERATOR_KEY: open.world.operatorKey,
  });
  const typing = (text: string) => ({ readInput: async () => text });
  /** Sends a test, and returns the headers that the receiver got. */
  const headersOf = async (destinationId: string) => {
    await open.world.operate(`mutation { testDestination(destinationId: "${destinationId}") { message } }`);
    return receiver.requests.at(-1)?.headers ?? {};
  };
  const create = async (type: string, input: string | null, ...options: string[]) => {
    const { tenantId } = await open.world.tenant();
    const args = ['destination', 'create', '--name', 'x', '--tenant', tenantId, '--type', type];
    const outcome = await runBeside(
      input === null ? {} : typing(input),
      [...args, '--url', receiver.url, '--json', ...options],
      env(),
    );
    if (outcome.error !== null) throw new Error(outcome.error);
    return JSON.parse(outcome.lines[0] ?? '').destinationId as string;
  };

  it.each([
    ['splunk-hec', 'tok en\r\n', 'Splunk tok en', []],
    ['elasticsearch', '\uFEFFidkey==\n', 'ApiKey idkey==', []],
    [
      'elasticsearch',
      ' pass:word \n\n',
      `Basic ${Buffer.from('me: pass:word ').toString('base64')}`,
      ['--username', 'me'],
    ],
    ['elasticsearch', '{"username":"me","password":"{"}', `Basic ${btoa('me:{')}`, []],
    ['webhook', 'Authorization: Bearer a:b\n\nX-Other:  one\n', 'Bearer a:b', []],
  ])(
    'of %s come from a file or the standard input, and reach the receiver',
    async (type, text, sent, more) => {
      for (const options of [
        ['--secret-file', await file(text)],
        ['--secret-file', '-'],
      ]) {
        const destinationId = await create(type, options[1] === '-' ? text : null, ...options, ...more);
        expect((await headersOf(destinationId)).authorization).toBe(sent);
      }
    },
  );

  it('of s3 come beside the id of the access key', async () => {
    const secretFile = await file('the+secret/key\n');
    const destinationId = await create(
      's3',
      null,
      ...['--secret-file', secretFile, '--access-key-id', 'AKIA', '--bucket', 'abc'],
    );
    expect((await headersOf(destinationId)).authorization).toMatch(/Credential=AKIA\//);
  });

  it('are rotated from a file too, as the type of the destination takes them', async () => {
    const { tenantId } = await open.world.tenant();
    const { destinationId } = await createDestination(open.world, {
      tenantId,
      type: 'splunk-hec',
      url: receiver.url,
      from: 'now',
      secrets: { token: 'old' },
    });
    const rotate = (id: string, ...options: string[]) =>
      runBeside(typing('new\n'), ['destination', 'rotate-secret', id, ...options], env());
    expect((await rotate(destinationId, '--secret-file', '-')).error).toBeNull();
    expect((await headersOf(destinationId)).authorization).toBe('Splunk new');
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await rotate(unknown, '--secret-file', '-')).error).toMatch(/^not_found: /);
  });

  it.each([
    ['an empty file', 'splunk-hec', '\n', [], 'is empty'],
    ['half of a JSON', 'splunk-hec', '{"token": "very-secret', [], 'begins as JSON and is none'],
    ['a secret given twice', 'splunk-hec', 'very-secret', ['--token', 'x'], 'token: given by an option and'],
    ['no header', 'webhook', 'very-secret', [], '--secret-file must be `Name: value`'],
    [
      'a type without one secret',
      'syslog',
      'very-secret',
      [],
      'must be JSON for a destination of type syslog',
    ],
  ])('are refused in one line without being shown: %s', async (_, type, text, options, refusal) => {
    const secretFile = await file(text);
    const made = create(type, null, '--secret-file', secretFile, ...options);
    await expect(made).rejects.toThrow(refusal);
    await made.catch(({ message }) => expect(message).not.toContain('very-secret'));
  });

  it('are refused when the file is missing, or when two are to come from the standard input', async () => {
    await expect(create('splunk-hec', null, '--secret-file', '/nowhere')).rejects.toThrow('ENOENT');
    await expect(
      create('splunk-hec', open.world.operatorKey, '--secret-file', '-', '--operator-key-file', '-'),
    ).rejects.toThrow('the standard input holds one secret');
  });

  it.each([
    ['tenant', 'list'],
    ['finish-restore', '--go'],
  ])(
    'of the operator come from a file or the standard input, before those of the environment: %s %s',
    async (...command) => {
      const { url } = open.world.service;
      const wrong = newKey('operator');
      const list = (...options: string[]) =>
        runBeside(typing(`${open.world.operatorKey}\r\n`), [...command, '--service', url, ...options], {
          AUDIT_ACTIVITY_OPERATOR_KEY: wrong,
        });
      expect((await list('--operator-key-file', await file(`${open.world.operatorKey}\n`))).error).toBeNull();
      expect((await list('--operator-key-file', '-')).error).toBeNull();
      expect((await list()).error).toContain('AUDIT_ACTIVITY_OPERATOR_KEY');
      expect((await list('--operator-key-file', await file(wrong))).error).toContain('--operator-key-file');
      expect((await list('--operator-key-file', '-', '--operator-key', wrong)).error).toBe(
        'Give either --operator-key or --operator-key-file.',
      );
    },
  );
});
