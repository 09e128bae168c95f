import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILD_VERSION } from '../../src/generated/version';
import { callBuild, missingTools, run } from './support/packages';

const MISSING = missingTools('dpkg-deb');

(MISSING ? describe.skip : describe)(`the Debian package${MISSING}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'deb-'));
  /** Where the package's files are unpacked. */
  const root = join(folder, 'root');
  let deb: string;

  beforeAll(async () => {
    deb = await callBuild('deb.mjs', 'buildDeb', { out: folder, compression: 'none' });
    await run('dpkg-deb', '-x', deb, root);
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('holds the agent, its Node.js, the unit and the licences, all owned by root and the configuration readable by root only', async () => {
    const entries = (await run('dpkg-deb', '-c', deb)).trim().split('\n');
    const modes = Object.fromEntries(entries.map((line) => [line.split(' ').at(-1), line.slice(0, 10)]));
    expect(modes).toMatchObject({
      './etc/audit-agent/config.json': '-rw-------',
      './usr/bin/audit-agent': '-rwxr-xr-x',
      './usr/lib/audit-agent/node': '-rwxr-xr-x',
      './usr/lib/audit-agent/agent.js': '-rw-r--r--',
      './usr/lib/systemd/system/audit-agent.service': '-rw-r--r--',
      './usr/share/doc/audit-agent/node-license.txt': '-rw-r--r--',
      './usr/share/doc/audit-agent/agent-licenses.txt': '-rw-r--r--',
    });
    expect(entries.filter((line) => !line.includes(' root/root '))).toEqual([]);
    // Libraries of the service alone.
    expect(entries.filter((line) => /duckdb|node_modules/.test(line))).toEqual([]);
  });

  it('has a version that Debian orders by the number of commits', async () => {
    const version = (await run('dpkg-deb', '--field', deb, 'Version')).trim();
    expect(version).toMatch(/^\d+\.\d+\.\d+\+\d+\.g[0-9a-f]{7}$/);
    const [before, commit] = version.split(/\.(?=g)/);
    expect(BUILD_VERSION.split('+')).toEqual([before?.split('+')[0], commit]);
    const later = version.replace(/\+(\d+)\.g.*/, (_, count) => `+${Number(count) + 1}.g0000000`);
    for (const [older, newer] of [
      [version, later],
      // The version of packages before versions had a commit.
      ['0.1.0', version],
    ] as const)
      expect([older, newer, await run('dpkg', '--compare-versions', older, 'lt', newer)]).toEqual([
        older,
        newer,
        '',
      ]);
  });

  it("keeps an administrator's configuration in an upgrade", async () => {
    expect(await run('dpkg-deb', '--info', deb, 'conffiles')).toBe('/etc/audit-agent/config.json\n');
  });

  it('contains an agent that runs and decodes an audit file', async () => {
    const agent = (...args: readonly string[]) =>
      run(join(root, 'usr/lib/audit-agent/node'), join(root, 'usr/lib/audit-agent/agent.js'), ...args);
    expect(await agent('--help')).toMatch(/configure.*\n(.*\n)*/);
    const [sample] = (
      await run('find', join(__dirname, '../fixtures/sqlaudit'), '-name', '*.sqlaudit')
    ).split('\n');
    const lines = (await agent('decode', sample ?? '')).trim().split('\n');
    expect(lines.length).toBeGreaterThan(10);
  });

  const UNIT = missingTools('systemd-analyze');
  (UNIT ? it.skip : it)(`has a unit that is valid and exposes little${UNIT}`, async () => {
    const unit = join(root, 'usr/lib/systemd/system/audit-agent.service');
    const report = await run('systemd-analyze', 'security', '--offline=true', '--threshold=20', unit);
    expect(report).toMatch(/Overall exposure level/);
  });
});
