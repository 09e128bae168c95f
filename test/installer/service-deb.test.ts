import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config';
import { callBuild, missingTools, run } from './support/packages';
import { MAKE_A_FILE } from './support/sealed-file';

const MISSING = missingTools('dpkg-deb');
const UNIT = 'usr/lib/systemd/system/audit-activity.service';

// `npm run test:installer -- service` tests the installation itself.
(MISSING ? describe.skip : describe)(`the Debian package of the service${MISSING}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-deb-'));
  const root = join(folder, 'root');
  let deb: string;

  beforeAll(async () => {
    deb = await callBuild('service-deb.mjs', 'buildServiceDeb', { out: folder, compression: 'none' });
    mkdirSync(root);
    await run('dpkg-deb', '-x', deb, root);
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('holds the service, its Node.js, unit and commands, all owned by root and the settings readable by root only', async () => {
    const entries = (await run('dpkg-deb', '-c', deb)).trim().split('\n');
    const modes = Object.fromEntries(entries.map((line) => [line.split(' ').at(-1), line.slice(0, 10)]));
    expect(modes).toMatchObject({
      './etc/audit-activity/environment': '-rw-------',
      './usr/bin/audit-activity': '-rwxr-xr-x',
      './usr/lib/audit-activity/node': '-rwxr-xr-x',
      './usr/lib/audit-activity/main.js': '-rw-r--r--',
      [`./${UNIT}`]: '-rw-r--r--',
      './usr/share/doc/audit-activity/node-license.txt': '-rw-r--r--',
      './usr/lib/audit-activity/node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so': '-rw-r--r--',
    });
    expect(entries.filter((line) => !line.includes(' root/root '))).toEqual([]);
    expect(entries.filter((line) => /^-.{7}w/.test(line))).toEqual([]);
    expect(await run('dpkg-deb', '--info', deb, 'conffiles')).toBe('/etc/audit-activity/environment\n');
  });

  it('makes and reads files of sealed weeks with its own Node.js and library', async () => {
    const programs = join(root, 'usr/lib/audit-activity');
    expect(await run(join(programs, 'node'), '--eval', MAKE_A_FILE, programs, folder)).toBe('1\n');
  });

  it('gives the service as much time to stop as its default settings allow it', () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(readFileSync(join(root, UNIT), 'utf8')) ?? [];
    const { readinessDelayMs, drainMs } = loadConfig({});
    // Background work may take ten seconds more; the rest is for an administrator's longer times.
    expect(Number(seconds) * 1000).toBeGreaterThanOrEqual(readinessDelayMs + drainMs + 10_000 + 30_000);
  });

  it.each([
    ['', '/var/lib/audit-activity'],
    ['DATA_DIR=/srv/audit\n', '/srv/audit'],
  ])('its command uses the folder of the service, with the settings %j', async (settings, dataDir) => {
    const file = join(folder, 'environment');
    writeFileSync(file, settings);
    const command = readFileSync(join(root, 'usr/bin/audit-activity'), 'utf8')
      .replace(/^HOME_FOLDER=.*/m, `HOME_FOLDER=${folder}`)
      .replace(/^SETTINGS=.*/m, `SETTINGS=${file}`)
      .replace(/setpriv .* "\$@"/, '"$@"');
    mkdirSync(join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'bin/audit-activity'), 'console.log(process.env.DATA_DIR)');
    if (!existsSync(join(folder, 'node'))) symlinkSync(process.execPath, join(folder, 'node'));
    expect(await run('env', '-u', 'DATA_DIR', 'sh', '-c', command)).toBe(`${dataDir}\n`);
  });

  const SYSTEMD = missingTools('systemd-analyze');
  (SYSTEMD ? describe.skip : describe)(`its unit${SYSTEMD}`, () => {
    it('is valid, and the program that it starts exists', async () => {
      expect(existsSync(join(root, 'usr/lib/audit-activity/main.js'))).toBe(true);
      // The units that this unit starts after are not in the package.
      expect(
        await run(
          'systemd-analyze',
          'verify',
          '--root',
          root,
          '--recursive-errors=no',
          'audit-activity.service',
        ),
      ).toBe('');
    });

    it("has a low exposure by systemd's own measure", async () => {
      const report = await run(
        'systemd-analyze',
        'security',
        '--offline=true',
        '--threshold=20',
        join(root, UNIT),
      );
      expect(report).toMatch(/Overall exposure level/);
    });
  });
});
