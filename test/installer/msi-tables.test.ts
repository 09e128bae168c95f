import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILD_VERSION } from '../../src/generated/version';
import { callBuild, missingTools, ROOT, run } from './support/packages';

const MISSING = missingTools('wixl', 'msibuild', 'msiinfo', 'msiextract', 'x86_64-w64-mingw32-gcc');
const PRODUCT = JSON.parse(readFileSync(join(ROOT, 'installer/windows/product.json'), 'utf8'));
/** The version for Windows: the third number is that of the commits so far. */
const COMMITS = execFileSync('git', ['rev-list', '--count', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
const VERSION = BUILD_VERSION.replace(/\d+\+g.*/, COMMITS);
const NODE_VERSION = JSON.parse(readFileSync(join(ROOT, 'installer/node.json'), 'utf8')).default;

/** Windows Installer's own numbers, written independently of the code under test. */
const TYPES = {
  SetReinstallMode: 51,
  SetReinstall: 51,
  CheckProperties: 1,
  SetWriteConfig: 51 + 0x2000,
  SetRollbackConfig: 51,
  SetCommitConfig: 51,
  SetKeepConfig: 51,
  SetConfigureService: 51,
  SetWaitRunning: 51,
  SetPurgeState: 51,
  StopAgent: 3137,
  PurgeState: 3137,
  RollbackConfig: 3393,
  WriteConfig: 11265,
  CommitConfig: 3649,
  ConfigureService: 3073,
  WaitRunning: 3073,
  KeepConfig: 3137,
};
/** A change of one of these ids would make upgrades leave files behind. */
const COMPONENTS = {
  NodeRuntime: '{6FADE0E7-70A0-481D-BC34-A97456CDCCF6}',
  AgentProgram: '{BD0E55EF-6403-47C2-8913-75E66F0BF98F}',
  ServiceHost: '{8384B3DB-8EF3-4494-8895-91A38F246744}',
};
const UPGRADE_CODE = '{673429B9-39A8-4765-A693-2219ABB41273}';

(MISSING ? describe.skip : describe)(`the Windows package${MISSING}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'msi-tables-'));
  let msi: string;
  const table = async (name: string): Promise<string[][]> =>
    rowsOf(await run('msiinfo', 'export', msi, name));
  const column = async (name: string, key: number, value: number) =>
    Object.fromEntries((await table(name)).map((row) => [row[key], row[value]]));

  beforeAll(async () => {
    msi = await callBuild('msi.mjs', 'buildMsi', { out: folder });
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is named by its version, comes with the script, and is for 64-bit Windows', async () => {
    expect(readdirSync(folder).sort()).toEqual([
      `agent-msi-installer-${BUILD_VERSION}.msi`,
      'install-agent.cmd',
    ]);
    const summary = await run('msiinfo', 'suminfo', msi);
    expect(summary).toMatch(/Template: x64;1033/);
    expect(summary).toMatch(/Version: 500 /);
  });

  it('has the same bytes when it is built again, and other codes for other content', async () => {
    const again = join(folder, 'again');
    const second = await callBuild('msi.mjs', 'buildMsi', { out: again });
    const isSame = readFileSync(second).equals(readFileSync(msi));
    rmSync(again, { recursive: true });
    expect(isSame).toBe(true);
    const codeOf = (content: string) => {
      mkdirSync(again, { recursive: true });
      writeFileSync(join(again, 'agent.js'), content);
      return callBuild('msi-identity.mjs', 'productCodeOf', again);
    };
    const codes = [await codeOf('one'), await codeOf('two'), await codeOf('one')];
    rmSync(again, { recursive: true });
    expect(codes[0]).not.toBe(codes[1]);
    expect(codes[0]).toBe(codes[2]);
  }, 600_000);

  it('is the product of the specification, in one version', async () => {
    const properties = await column('Property', 0, 1);
    expect(properties).toMatchObject({
      ProductName: 'Agent EventHub Publisher',
      ProductVersion: VERSION,
      ARPCOMMENTS: BUILD_VERSION,
      UpgradeCode: UPGRADE_CODE,
      ALLUSERS: '1',
    });
    expect(PRODUCT.upgradeCode).toBe(UPGRADE_CODE);
    expect(properties.ProductCode).toMatch(/^\{[0-9A-F-]{36}\}$/);
    const numbers = VERSION.split('.').map(Number);
    expect(numbers).toHaveLength(3);
    [255, 255, 65_535].forEach((max, index) => {
      expect(numbers[index]).toBeLessThanOrEqual(max);
    });
  });

  it('hides the key in logs, and passes its properties on to SYSTEM', async () => {
    const properties = await column('Property', 0, 1);
    expect(properties.MsiHiddenProperties?.split(';')).toEqual(['APIKEY', 'ENROLLTOKEN', 'WriteConfig']);
    expect(properties.SecureCustomProperties?.split(';')).toEqual(
      expect.arrayContaining(['APIURL', 'APIKEY', 'AUDITPATH', 'DBNAME', 'TENANTID', 'CONFIGFILE', 'PURGE']),
    );
    expect(Object.keys(properties)).not.toContain('APIKEY');
  });

  it('has custom actions of the right types, and passes the data of WriteConfig as lines', async () => {
    expect(await column('CustomAction', 0, 1)).toEqual(
      Object.fromEntries(Object.entries(TYPES).map(([name, type]) => [name, String(type)])),
    );
    const targets = await column('CustomAction', 0, 3);
    for (const name of ['APIURL', 'APIKEY', 'AUDITPATH', 'DBNAME', 'TENANTID', 'CONFIGFILE']) {
      expect(targets.SetWriteConfig?.split('\n')).toContain(`${name}=[${name}]`);
    }
  });

  it('runs the actions in an order that can be rolled back', async () => {
    const sequence = await column('InstallExecuteSequence', 0, 2);
    const at = (name: string) => Number(sequence[name]);
    expect(at('RemoveExistingProducts')).toBe(1501);
    expect(at('InstallInitialize')).toBe(1500);
    for (const [name, type] of Object.entries(TYPES)) {
      if ((type & 0x400) === 0) expect(at(name)).toBeLessThan(at('InstallInitialize'));
      else expect([at(name) > 1500, at(name) < at('InstallFinalize')]).toEqual([true, true]);
      if (name.startsWith('Set') && !name.startsWith('SetReinstall')) {
        expect(at(name)).toBeLessThan(at(name.slice(3)));
        expect(at(name)).toBeGreaterThan(at('CostFinalize'));
      }
    }
    const inOrder = [
      'StopAgent',
      'StopServices',
      'DeleteServices',
      'PurgeState',
      'InstallFiles',
      'RollbackConfig',
    ];
    const then = [
      'WriteConfig',
      'CommitConfig',
      'InstallServices',
      'ConfigureService',
      'StartServices',
      'WaitRunning',
    ];
    const numbers = [...inOrder, ...then].map(at);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it('removes data only on request, and never in an upgrade', async () => {
    const conditions = await column('InstallExecuteSequence', 0, 1);
    expect(conditions.PurgeState).toBe('REMOVE="ALL" AND PURGE="1" AND NOT UPGRADINGPRODUCTCODE');
    expect(conditions.WriteConfig).toBe('NOT REMOVE');
    expect((await table('Component')).map(([, , directory]) => directory)).toEqual(
      Array(3).fill('INSTALLDIR'),
    );
  });

  it('installs one service that starts automatically, and fails if it cannot install it', async () => {
    const [[, name, displayName, type, start, errorControl, , , , , args] = [], ...others] =
      await table('ServiceInstall');
    expect(others).toEqual([]);
    expect([name, displayName]).toEqual(['AgentEventHubPublisher', 'Agent EventHub Publisher']);
    expect([type, start, errorControl]).toEqual(['16', '2', String(0x8001)]);
    expect(args).toBe('--data-dir "[DATADIR]."');
    const controls = Object.fromEntries((await table('ServiceControl')).map((row) => [row[0], row]));
    // 1: start at installation; 162: stop at installation and uninstallation, delete at uninstallation. The start does
    // not wait.
    expect([controls.StartService?.[2], controls.StartService?.[4]]).toEqual(['1', '0']);
    expect([controls.StopService?.[2], controls.StopService?.[4]]).toEqual(['162', '1']);
  });

  it('has 64-bit components with fixed ids', async () => {
    expect(await column('Component', 0, 1)).toEqual(COMPONENTS);
    expect(new Set((await table('Component')).map((row) => row[3]))).toEqual(new Set(['256']));
  });

  it('replaces older and equal versions, and detects newer ones', async () => {
    const rows = (await table('Upgrade')).map(([code, min, max, , attributes]) => [
      code,
      min,
      max,
      attributes,
    ]);
    expect(rows.sort()).toEqual([
      [UPGRADE_CODE, '0.0.0', VERSION, '513'],
      [UPGRADE_CODE, VERSION, '', '2'],
    ]);
  });

  it('states the version of each program, so that an upgrade replaces the program', async () => {
    const versions = await column('File', 0, 4);
    expect(versions.NodeExe).toBe(`${NODE_VERSION}.0`);
    expect(versions.HostExe).toBe(`${VERSION}.0`);
    const hashed = (await table('MsiFileHash')).map(([id]) => id);
    expect(hashed.filter((id) => ['NodeExe', 'HostExe'].includes(id ?? ''))).toEqual([]);
    expect(hashed).toContain('AgentJs');
  });

  it('contains everything the agent needs, and the licences', async () => {
    const out = join(folder, 'extracted');
    await run('msiextract', '-C', out, msi);
    const files = readdirSync(out, { recursive: true })
      .map(String)
      .filter((name) => /\.\w+$/.test(name));
    expect(files.map((name) => name.split('/').at(-1)).sort()).toEqual([
      ...['AgentEventHubPublisher.exe', 'agent-licenses.txt', 'agent.js'],
      ...['audit-agent.cmd', 'node-license.txt', 'node.exe'],
    ]);
  });
});

/** Rows of an exported table, without the three lines that describe it. A line break in a cell is exported as DEL. */
function rowsOf(text: string): string[][] {
  const rows: string[][] = [];
  const width = (text.split('\n', 1)[0] ?? '').split('\t').length;
  for (const line of text.split('\r\n').slice(3)) {
    if (line !== '') rows.push(line.split('\t').slice(0, width));
  }
  return rows;
}
