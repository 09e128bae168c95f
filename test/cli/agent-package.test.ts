import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSigned } from '../../agent/update/offer';
import { readPackage } from '../../src/cli/agent-package-file';
import { LIMITS } from '../../src/limits';
import { runCli } from '../support/cli';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const PUBLIC_KEY = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const PEM = { type: 'pkcs8', format: 'pem' } as const;

describe('agent-package sign', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agent-package-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const written = (name: string, content: string | Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const sign = (file: string, key: string, ...options: string[]) =>
    runCli(['agent-package', 'sign', '--file', file, '--key', key, ...options]);

  it('signs what agents check: version, build, size, hash, and whether it may be older', async () => {
    const file = written('agent.js', '// audit-agent 1.2.3+gabcdef0 build 45\nrun();\n');
    const key = written('key.pem', privateKey.export(PEM));
    const { bytes, ...facts } = await readPackage(file);
    expect({ ...facts, length: bytes.length }).toMatchObject({
      version: '1.2.3+gabcdef0',
      build: 45,
      length: 46,
    });
    const newer = { ...facts, signature: (await sign(file, key)).lines[0] ?? '', allowsOlder: false };
    expect(isSigned(newer, PUBLIC_KEY)).toBe(true);
    for (const change of [
      { allowsOlder: true },
      { version: '1.2.4' },
      { build: 46 },
      { size: 47 },
      { sha256: '0'.repeat(64) },
    ])
      expect(isSigned({ ...newer, ...change }, PUBLIC_KEY)).toBe(false);
    const older = (await sign(file, key, '--allow-older')).lines[0] ?? '';
    expect(isSigned({ ...newer, signature: older, allowsOlder: true }, PUBLIC_KEY)).toBe(true);
  });

  it.each<readonly [string, string | Buffer]>([
    ['no first line', 'run();\n'],
    ['another version', '// audit-agent new build 45\n'],
    ['nothing', ''],
    ['a line without end', '// audit-agent 1.2.3 build 45'],
  ])('refuses a file with %s', async (_, content) => {
    const { error } = await sign(written('agent.js', content), written('key.pem', privateKey.export(PEM)));
    expect(error).toContain('is no package of the agent');
  });

  it('refuses a file that is too large, and a key of another kind, of which it shows nothing', async () => {
    const header = '// audit-agent 1.2.3 build 45\n';
    const most = Buffer.concat([Buffer.from(header), Buffer.alloc(LIMITS.agentPackageBytesMax)]);
    const large = written('large.js', most);
    const largest = written('largest.js', most.subarray(0, LIMITS.agentPackageBytesMax));
    expect((await readPackage(largest)).size).toBe(LIMITS.agentPackageBytesMax);
    const key = written('key.pem', privateKey.export(PEM));
    expect((await sign(large, key)).error).toContain(`has more than ${LIMITS.agentPackageBytesMax} bytes`);
    const file = written('agent.js', header);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
    for (const other of [rsa.export(PEM), 'SECRET text'])
      expect((await sign(file, written('other.pem', other))).error?.trim()).toMatch(
        /The key is no private Ed25519 key \(PKCS #8, PEM\)\.$/,
      );
    expect((await sign(file, join(folder, 'nothing'))).error).toContain('ENOENT');
  });
});
