import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { newKey } from '../../src/caller/key-format';
import { resolveConnection } from '../../src/cli/service-client';
import { runCli } from '../support/cli';
import { ANY_ENGINE, temporaryFolder } from '../support/engines';
import { freePort } from '../support/free-port';
import { useWorld } from '../support/use-world';

const LIST = ['tenant', 'list'];

describe('the operator key', () => {
  const open = useWorld(ANY_ENGINE);

  it('comes from --operator-key, else the environment, else the file in DATA_DIR', async () => {
    const { service, operatorKey, database } = open.world;
    const url = ['--service', service.url];
    const wrong = newKey('operator');
    const sources: [string[], Record<string, string>][] = [
      [['--operator-key', operatorKey], { AUDIT_ACTIVITY_OPERATOR_KEY: wrong }],
      [[], { AUDIT_ACTIVITY_OPERATOR_KEY: operatorKey, DATA_DIR: '/nowhere' }],
      [[], { DATA_DIR: database.dataDir }],
      [[], { AUDIT_ACTIVITY_OPERATOR_KEY: '', DATA_DIR: database.dataDir }],
    ];
    for (const [options, env] of sources) {
      expect(await runCli([...LIST, '--json', ...url, ...options], env)).toEqual({
        lines: ['[]'],
        error: null,
      });
    }
  });

  it('is refused when the option is empty, whatever other places have', async () => {
    const { service, operatorKey } = open.world;
    const given = [...LIST, '--service', service.url, '--operator-key', ''];
    expect((await runCli(given, { AUDIT_ACTIVITY_OPERATOR_KEY: operatorKey })).error).toContain(
      'unauthorized',
    );
  });

  it('is refused in one line when it is wrong', async () => {
    const env = { AUDIT_ACTIVITY_URL: open.world.service.url };
    for (const key of [newKey('operator'), 'nonsense']) {
      const { error } = await runCli([...LIST, '--operator-key', key], env);
      expect(error).toMatch(/^unauthorized: .*$/);
      expect(error).not.toContain(key);
    }
  });

  it('is refused in one line when it is a public key', async () => {
    const { key } = await open.world.key();
    const { error } = await runCli([...LIST, '--operator-key', key], {
      AUDIT_ACTIVITY_URL: open.world.service.url,
    });
    expect(error).toMatch(/^forbidden: .*$/);
  });

  it('is asked for when it is nowhere, with every place it can come from', async () => {
    const { lines, error } = await runCli(LIST, { DATA_DIR: '/nowhere/at/all' });
    expect(lines).toEqual([]);
    for (const text of [
      '/nowhere/at/all/operator.key',
      '--operator-key',
      'AUDIT_ACTIVITY_OPERATOR_KEY',
      'DATA_DIR',
    ]) {
      expect(error).toContain(text);
    }
    expect(error?.split('\n')).toHaveLength(1);
  });
});

describe('the service', () => {
  const operatorKey = newKey('operator');

  it('is named by --service in every command, and by the names of builds before', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const answers = (...given: string[]) => runCli([...LIST, ...given, '--operator-key', operatorKey]);
    for (const name of ['--service', '--service-url', '--url'])
      expect((await answers(name, url)).error).toContain(`No service answers at ${url}`);
    const receiver = ['destination', 'create', '--name', 'a', '--tenant', '1', '--type', 'webhook', '--url'];
    const made = await runCli([
      ...receiver,
      'https://a.example',
      '--service',
      url,
      '--operator-key',
      operatorKey,
    ]);
    expect(made.error).toContain(`No service answers at ${url}`);
  });

  it('is refused when it is named twice, and so is the address of a receiver', async () => {
    const url = 'http://127.0.0.1:1';
    const names = ['--service', '--service-url', '--url'];
    for (const [one, other] of names.flatMap((a) => names.map((b) => [a, b] as const)))
      expect((await runCli([...LIST, one, url, other, url])).error).toMatch(
        one === other ? /is given twice/ : /^Give the address of the service once, by --service\.$/,
      );
    const create = ['destination', 'create', '--name', 'a', '--tenant', '1', '--type', 'webhook'];
    const { error } = await runCli([...create, '--url', 'https://a.example', '--url', url]);
    expect(error).toMatch(/--url.*is given twice/);
  });

  it('is the one that is named, else AUDIT_ACTIVITY_URL, else this host at PORT, else this host at 8080', async () => {
    const urlOf = async (options: { url?: string }, env: Record<string, string>) =>
      (await resolveConnection({ ...options, operatorKey }, env)).url;
    const env = { AUDIT_ACTIVITY_URL: 'https://audit.example' };
    expect(await urlOf({ url: 'http://other:1' }, env)).toBe('http://other:1');
    expect(await urlOf({}, env)).toBe('https://audit.example');
    expect(await urlOf({}, {})).toBe('http://127.0.0.1:8080');
    expect(await urlOf({}, { AUDIT_ACTIVITY_URL: '', PORT: '' })).toBe('http://127.0.0.1:8080');
    expect(await urlOf({}, { PORT: '9000' })).toBe('http://127.0.0.1:9000');
    expect(await urlOf({}, { ...env, PORT: '9000' })).toBe('https://audit.example');
    expect(await urlOf({ url: 'http://other:1//' }, {})).toBe('http://other:1');
  });

  it.each(['127.0.0.1', 'localhost'])(
    'is named in one line, with the reason, when it does not answer on %s',
    async (host) => {
      const url = `http://${host}:${await freePort()}`;
      const { error } = await runCli([...LIST, '--service', url, '--operator-key', operatorKey]);
      expect(error).toMatch(/^No service answers at .*: .*ECONNREFUSED.*$/);
      expect(error).toContain(url);
    },
  );

  it.each(['not a url', 'ftp://example', ''])(
    'is named in one line when its address is invalid: %j',
    async (url) => {
      const { error } = await runCli([...LIST, '--service', url, '--operator-key', operatorKey]);
      expect(error).toMatch(/^No service answers at .*$/);
    },
  );

  it('is recognized as another program when it answers as one', async () => {
    const server = createServer((_request, response) => response.end('<html>It works!</html>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { error } = await runCli([...LIST, '--service', url, '--operator-key', operatorKey]);
    expect(error).toBe(`${url} answered 200, and not as an Audit Activity service`);
    server.close();
    server.closeAllConnections();
  });
});

it('the operator key file may end with or without a line break', async () => {
  const folder = await temporaryFolder();
  for (const end of ['', '\n', '\r\n']) {
    await writeFile(path.join(folder, 'operator.key'), `abc${end}`);
    expect((await resolveConnection({}, { DATA_DIR: folder })).operatorKey).toBe('abc');
  }
  await rm(folder, { recursive: true });
});
