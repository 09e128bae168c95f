import { runCli } from '../support/cli';
import { useWorld } from '../support/use-world';

describe('the command line', () => {
  const open = useWorld('embedded');
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
      ['key', 'create', '--name', 'k', '--scope', 'x'],
      /^invalid_parameter: x is no scope .*\.$/,
    ],
    [
      'a time that is none',
      ['key', 'create', '--name', 'k', '--expires-at', 'soon'],
      /^invalid_parameter: expiresAt .*\.$/,
    ],
    [
      'a limit that is no number',
      ['key', 'create', '--name', 'k', '--rate-limit', 'many'],
      /must be a whole number/,
    ],
    ['an empty name', ['tenant', 'create', '--name', ''], /^invalid_parameter: name must not be empty\.$/],
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
    ['no key id', ['key', 'revoke', 'x'], /^invalid_parameter: keyId must be a key id\.$/],
    ['an unknown command', ['tenant', 'delete'], /unknown command|Usage/],
  ])('fails with one clear line for %s', async (_, args, text) => {
    const { lines, error } = await run(...args);
    expect(lines).toEqual([]);
    expect(error).toMatch(text);
    if (!error?.includes('Usage')) expect(error?.trim().split('\n')).toHaveLength(1);
  });
});
