import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AGENT_TIMES } from '../../agent/times';
import { loadConfig } from '../../src/config';
import { ROOT } from '../support/imports';

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

it('the agent may take three times the memory that it needs', () => {
  const { MemoryMax = '' } = settingsOf(read('linux/audit-agent.service'));
  expect(MemoryMax).toMatch(/^\d+M$/);
  expect(Number.parseInt(MemoryMax, 10)).toBeGreaterThanOrEqual(3 * 120);
});
