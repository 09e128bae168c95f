import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { newKey } from '../../src/caller/key-format';
import { BUILD_VERSION } from '../../src/generated/version';
import { compiledService } from '../support/child-service';
import { runCli } from '../support/cli';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';

describe('the command line', () => {
  const open = useWorld(ANY_ENGINE);
  const run = (...args: string[]) =>
    runCli(args, { AUDIT_ACTIVITY_URL: open.world.service.url, DATA_DIR: open.world.database.dataDir });

  it.each([
    [
      'a tenant that does not exist',
      ['key', 'create', '--name', 'k', '--tenant', '2000000'],
      /^invalid_parameter: tenant 2000000 does not exist\.$/,
    ],
    [
      'a tenant id that is none',
      ['agent-key', 'create', '--name', 'k', '--tenant', 'acme'],
      /^invalid_parameter: tenant acme does not exist\.$/,
    ],
    [
      'an unknown scope',
      ['key', 'create', '--name', 'k', '--tenant', '1', '--scope', 'x'],
      /^invalid_parameter: x is no scope .*\.$/,
    ],
    [
      'a time that is none',
      ['key', 'create', '--name', 'k', '--expires-at', 'soon'],
      /^error: option '--expires-at <time>' argument 'soon' is invalid\. must be an ISO 8601 time/,
    ],
    [
      'a limit that is no number',
      ['key', 'create', '--name', 'k', '--rate-limit', 'many'],
      /must be a whole number/,
    ],
    [
      'a time of the access log that is none, by the name of the option',
      ['access-log', '--since', 'gestern'],
      /^error: option '--since <time>' argument 'gestern' is invalid\. must be an ISO 8601 time, for example /,
    ],
    ['an empty name', ['tenant', 'create', '--name', ''], /^invalid_parameter: name must not be empty\.$/],
    [
      'a key without tenants',
      ['key', 'create', '--name', 'k'],
      /required option '--tenant <id>' not specified/,
    ],
    ['a missing name', ['tenant', 'create'], /required option '--name <name>' not specified/],
    [
      'a missing tenant',
      ['agent-key', 'create', '--name', 'k'],
      /required option '--tenant <id>' not specified/,
    ],
    [
      'a key that does not exist',
      ['key', 'revoke', '00000000-0000-4000-8000-000000000000'],
      /^not_found: There is no such key\.$/,
    ],
    ['no key id', ['key', 'revoke', 'x'], /^invalid_parameter: keyId must be a UUID\.$/],
    ['an unknown command', ['tenant', 'delete'], /unknown command|Usage/],
  ])('fails with one clear line for %s', async (_, args, text) => {
    const { lines, error } = await run(...args);
    expect(lines).toEqual([]);
    expect(error).toMatch(text);
    if (!error?.includes('Usage')) expect(error?.trim().split('\n')).toHaveLength(1);
  });

  it('says which operator key the service refuses, by where that key came from', async () => {
    const unknown = newKey('operator');
    const said = (from: string) =>
      `unauthorized: the service at ${open.world.service.url} does not take the operator key of ${from}: it is unknown there, revoked or expired`;
    expect((await run('tenant', 'list', '--operator-key', unknown)).error).toBe(said('--operator-key'));
    const env = { AUDIT_ACTIVITY_URL: open.world.service.url, AUDIT_ACTIVITY_OPERATOR_KEY: unknown };
    expect((await runCli(['tenant', 'list'], env)).error).toBe(said('AUDIT_ACTIVITY_OPERATOR_KEY'));
  });

  it.each([
    [
      'the service refuses',
      ['key', 'create', '--name', 'k', '--tenant', '2000000'],
      'invalid_parameter',
      /^(?!invalid_parameter).*tenant 2000000 does/,
    ],
    [
      'the command line is wrong',
      ['key', 'create', '--name', 'k', '--rate-limit', 'many'],
      'usage',
      /whole number/,
    ],
    [
      'no service answers',
      ['tenant', 'list', '--service', 'http://127.0.0.1:1'],
      'failed',
      /No service answers/,
    ],
  ])('with --json an error is JSON too, when %s', async (_, args, code, message) => {
    const { lines, error } = await run(...args, '--json');
    expect([lines, JSON.parse(error ?? '')]).toEqual([
      [],
      { error: { code, message: expect.stringMatching(message) } },
    ]);
  });

  it('states its version', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      path.join(await compiledService(), 'src/cli/main.js'),
      '--version',
    ]);
    expect(stdout).toBe(`${BUILD_VERSION}\n`);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\+g[0-9a-f]{7}\n$/);
  });
});
