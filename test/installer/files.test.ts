import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AGENT_TIMES } from '../../agent/times';
import { loadConfig } from '../../src/config';
import { ROOT } from '../support/imports';
import { callBuild } from './support/packages';

const read = (file: string) => readFileSync(path.join(ROOT, 'installer', file), 'utf8');
/** The lines of a unit, as names and values. */
const settingsOf = (unit: string) =>
  Object.fromEntries(unit.split('\n').flatMap((line) => [/^(\w+)=(.*)$/.exec(line)?.slice(1) ?? []]));

describe.each([
  ['the agent', 'linux', 'audit-agent'],
  ['the service', 'service', 'audit-activity'],
])('the scripts and the unit of %s', (_, folder, name) => {
  const made = read(`${folder}/postinst`);
  const unit = settingsOf(read(`${folder}/${name}.service`));

  it('let nobody but root and its own user read its secrets and its data', () => {
    expect(made.match(/chmod \d+/g)).toEqual(['chmod 0640']);
    expect(made).toMatch(new RegExp(`chown root:${name} `));
    expect(made.match(/install -d .*/g)).toEqual([
      `install -d -o ${name} -g ${name} -m 0700 /var/lib/${name}`,
    ]);
    expect(unit).toMatchObject({
      User: name,
      StateDirectory: name,
      StateDirectoryMode: '0700',
      UMask: '0077',
    });
  });

  it('remove data and settings when the package is purged, and not before', () => {
    const [, purged = ''] = /if \[ "\$1" = purge \]; then\n(.*?)\nfi/s.exec(read(`${folder}/postrm`)) ?? [];
    expect(purged).toContain(`rm -rf /var/lib/${name} /etc/${name}`);
    expect(read(`${folder}/postrm`).match(/rm -rf/g)).toHaveLength(1);
  });

  it('start it again after a failure', () => {
    expect(unit).toMatchObject({ Restart: 'on-failure', RestartSec: '5' });
  });
});

it('both are given longer to stop than they take', () => {
  const secondsOf = (file: string) => Number(settingsOf(read(file)).TimeoutStopSec);
  expect(secondsOf('linux/audit-agent.service') * 1000).toBeGreaterThan(2 * AGENT_TIMES.stopGraceMs);
  const { readinessDelayMs, drainMs } = loadConfig({});
  // Background work may take ten seconds more.
  expect(secondsOf('service/audit-activity.service') * 1000).toBeGreaterThan(
    readinessDelayMs + drainMs + 10_000,
  );
});

describe('the actions of the Windows package', () => {
  const source = (file: string) => read(`windows/${file}`);
  /** The properties in a list of a file in C. */
  const listed = (file: string, name: string) => {
    const [, list = ''] = new RegExp(`\\b${name}\\[\\] = \\{([^}]*)\\}`).exec(source(file)) ?? [];
    return [...list.matchAll(/L"(\w+)"/g)].map(([, property]) => property);
  };
  /** A number that a file in C defines. */
  const defined = (file: string, name: string) =>
    Number(new RegExp(`^#define ${name} (\\d+)$`, 'm').exec(source(file))?.[1]);

  it('know each property that the package passes on, and refuse each beside a whole configuration', () => {
    const [, passed = ''] = /Id="SetWriteConfig"[^>]*Value="([^"]*)"/s.exec(source('agent.wxs')) ?? [];
    const names = [...passed.matchAll(/(\w+)=\[/g)].map(([, name]) => name);
    const given = names.filter((name) => name !== 'DATADIR' && name !== 'INSTALLDIR');
    expect(listed('actions/config.c', 'PROPERTIES').sort()).toEqual([...given].sort());
    const single = given.filter((name) => name !== 'CONFIGFILE').sort();
    expect(listed('actions/check_properties.c', 'ALL').sort()).toEqual(single);
    const needed = listed('actions/check_properties.c', 'NEEDED');
    // A tenant goes without saying where the key is one of one tenant, and a token takes the place of the key.
    expect([...needed].sort()).toEqual(
      single.filter((name) => !['ENROLLTOKEN', 'TENANTID'].includes(name ?? '')),
    );
    expect(listed('actions/check_properties.c', 'WITH_TOKEN')).toEqual(
      needed.filter((name) => name !== 'APIKEY'),
    );
  });

  it('let Windows start the service again, also after an error that it reports itself', () => {
    const code = source('actions/service.c');
    const switches = [...code.matchAll(/^ {4}(SERVICE_\w+) \w+ = \{(\w+)\};$/gm)].map(([, ...rest]) => rest);
    expect(switches).toEqual([
      ['SERVICE_FAILURE_ACTIONS_FLAG', 'TRUE'],
      ['SERVICE_DELAYED_AUTO_START_INFO', 'TRUE'],
      ['SERVICE_PRESHUTDOWN_INFO', 'PRESHUTDOWN_MS'],
    ]);
    const levels = [...code.matchAll(/set\(session, service, (\w+), &(\w+),/g)].map(([, ...rest]) => rest);
    expect(levels).toEqual([
      ['SERVICE_CONFIG_FAILURE_ACTIONS', 'actions'],
      ['SERVICE_CONFIG_FAILURE_ACTIONS_FLAG', 'flag'],
      ['SERVICE_CONFIG_DELAYED_AUTO_START_INFO', 'delayed'],
      ['SERVICE_CONFIG_PRESHUTDOWN_INFO', 'shutdown'],
    ]);
    const waits = [...code.matchAll(/\{(SC_ACTION_\w+), (\d+)\}/g)].map(([, action, ms]) => [
      action,
      Number(ms),
    ]);
    expect(waits).toEqual([5_000, 30_000, 60_000].map((ms) => ['SC_ACTION_RESTART', ms]));
    expect(code).toMatch(/\.cActions = 3,/);
    expect(defined('actions/service.c', 'RESTART_RESET_SECONDS')).toBe(86_400);
  });

  it('start Node.js without the options of the machine, and the agent with the authorities of the system', () => {
    const programs = readdirSync(path.join(ROOT, 'installer/windows'), { recursive: true, encoding: 'utf8' });
    const starting = programs.filter(
      (file) => file.endsWith('.c') && source(file).includes('CreateProcessW('),
    );
    expect(starting.map((file) => path.basename(file)).sort()).toEqual(['agent.c', 'child.c']);
    for (const file of starting)
      expect([file, source(file)]).toEqual([
        file,
        expect.stringContaining('SetEnvironmentVariableW(L"NODE_OPTIONS", NULL);'),
      ]);
    for (const file of [
      'windows/host/agent.c',
      'windows/audit-agent.cmd',
      'linux/audit-agent',
      'linux/audit-agent.service',
    ])
      expect([file, read(file)]).toEqual([
        file,
        expect.stringMatching(/node(\.exe\\?")? --use-system-ca \S*agent\.js/),
      ]);
  });

  it('wait longer than the service may take, which waits longer than the agent', () => {
    const [stop, start] = ['STOP_LIMIT_MS', 'START_LIMIT_MS'].map((name) => [
      defined('actions/service.c', name),
      defined('host/service.c', name),
    ]) as [[number, number], [number, number]];
    expect(stop[0]).toBeGreaterThan(stop[1] + 5_000);
    expect(start[0]).toBeGreaterThan(start[1]);
    expect(defined('actions/service.c', 'PRESHUTDOWN_MS')).toBeGreaterThan(stop[1]);
    expect(stop[1]).toBeGreaterThan(AGENT_TIMES.stopGraceMs);
  });
});

it('the agent may take three times the memory that it needs', () => {
  const { MemoryMax = '' } = settingsOf(read('linux/audit-agent.service'));
  expect(MemoryMax).toMatch(/^\d+M$/);
  expect(Number.parseInt(MemoryMax, 10)).toBeGreaterThanOrEqual(3 * 120);
});

describe('the image of a release', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'image-layout-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const blobs = path.join(folder, 'blobs/sha256');
  /** Writes a part of an image as OCI has it. @returns what names it */
  const put = (content: object) => {
    const text = JSON.stringify(content);
    const hash = createHash('sha256').update(text).digest('hex');
    writeFileSync(path.join(blobs, hash), text);
    return { digest: `sha256:${hash}`, size: text.length };
  };
  const get = ({ digest, size }: { readonly digest: string; readonly size: number }) => {
    const bytes = readFileSync(path.join(blobs, digest.replace('sha256:', '')));
    expect([`sha256:${createHash('sha256').update(bytes).digest('hex')}`, bytes.length]).toEqual([
      digest,
      size,
    ]);
    return JSON.parse(bytes.toString());
  };

  it('has the health check of the Dockerfile, with each of its times', async () => {
    mkdirSync(blobs, { recursive: true });
    const settings = put({ config: { User: '65532' }, os: 'linux' });
    const manifest = put({ layers: [], config: { mediaType: 'c', ...settings } });
    const index = path.join(folder, 'index.json');
    writeFileSync(index, JSON.stringify({ manifests: [{ mediaType: 'm', ...manifest }] }));
    await callBuild('image-healthcheck.mjs', 'addHealthcheck', folder);
    const [changed] = JSON.parse(readFileSync(index, 'utf8')).manifests;
    const { config, layers } = get(changed);
    expect([changed.mediaType, config.mediaType, layers]).toEqual(['m', 'c', []]);
    const dockerfile = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
    const given = (name: string) => Number(new RegExp(`--${name}=(\\d+)s?\\b`).exec(dockerfile)?.[1]);
    const [interval, timeout, start, retries] = ['interval', 'timeout', 'start-period', 'retries'].map(given);
    // They differ, so that none can stand in the place of another one.
    expect(new Set([interval, timeout, start, retries]).size).toBeGreaterThan(2);
    expect(get(config)).toEqual({
      os: 'linux',
      config: {
        User: '65532',
        Healthcheck: {
          Test: ['CMD', '/usr/local/bin/node', '/app/healthcheck.js'],
          Interval: (interval ?? 0) * 1e9,
          Timeout: (timeout ?? 0) * 1e9,
          StartPeriod: (start ?? 0) * 1e9,
          Retries: retries,
        },
      },
    });
    // The parts before have gone.
    expect(readdirSync(blobs)).toHaveLength(2);
  });
});
