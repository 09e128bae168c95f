import assert from 'node:assert/strict';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { configOf, FIRST, SECOND } from '../support/samples.mjs';
import { until } from '../support/until.mjs';

const CONFIG = '/etc/audit-agent/config.json';
/** Starts the unit's own command as the unit's user, because the test system has no systemd. */
const AGENT =
  `command=$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/audit-agent.service)\n` +
  'setpriv --reuid audit-agent --regid audit-agent --init-groups $command >/mnt/agent.log 2>&1 &\n' +
  'echo $! >/mnt/agent.pid';

/** The scenarios run in order: each begins with the state that the one before has left. */
export const SCENARIOS = [
  {
    name: "installation makes a user in the group of SQL Server and a folder, and only root and the user's group can read the key",
    async run(world) {
      await world.succeeds('groupadd --system mssql');
      await world.succeeds(`dpkg -i /mnt/${basename(world.deb)}`);
      assert.equal(await world.succeeds(`stat -c '%U:%G %a' ${CONFIG}`), 'root:audit-agent 640\n');
      assert.match(await world.succeeds('id audit-agent'), /\(mssql\)/);
      assert.equal(
        await world.succeeds("stat -c '%U:%G %a' /var/lib/audit-agent"),
        'audit-agent:audit-agent 700\n',
      );
    },
  },
  {
    name: 'configure reports what is wrong with a configuration, and writes a valid one',
    async run(world) {
      const bad = await world.shell.run(
        `echo APIURL=nowhere | audit-agent configure --stdin --config ${CONFIG}`,
      );
      assert.equal(bad.code, 1);
      assert.match(bad.output, /CentralApi\.BaseUrl must be an http or https address/);
      const content = configOf(world, [['Payroll', '/var/opt/mssql/audit/*.sqlaudit']]);
      await writeFile(join(world.shell.work, 'given.json'), JSON.stringify(content));
      await world.succeeds(`audit-agent configure --stdin --config ${CONFIG} </mnt/given.json`);
      assert.equal(await world.succeeds(`stat -c '%U:%G %a' ${CONFIG}`), 'root:audit-agent 640\n');
      await world.addAuditFile(FIRST.path);
      assert.match(
        await world.succeeds(`audit-agent check --config ${CONFIG}`),
        /NOTE {4}the following checks run as audit-agent/,
      );
    },
  },
  {
    name: 'a repeated configure merges its input into the file in place of the template',
    async run(world) {
      const part = '{"EventHubPublisher": {"PollIntervalMs": 500}}';
      await world.succeeds(`echo '${part}' | audit-agent configure --stdin --config ${CONFIG}`);
      const { CentralApi, EventHubPublisher } = JSON.parse(await world.succeeds(`cat ${CONFIG}`));
      assert.equal(CentralApi.ApiKey, world.tenant.agentKey);
      assert.equal(EventHubPublisher.PollIntervalMs, 500);
      assert.deepEqual(
        EventHubPublisher.Databases.map(({ Name }) => Name),
        ['Payroll'],
      );
    },
  },
  {
    name: "check, run by root, names the files that the service's user may not read",
    async run(world) {
      const file = `/var/opt/mssql/audit/${basename(FIRST.path)}`;
      await world.succeeds(`chmod 0600 ${file}`);
      const { code, output } = await world.shell.run(`audit-agent check --config ${CONFIG}`);
      assert.equal(code, 1);
      assert.match(output, /PROBLEM Payroll: the newest, .*EACCES/);
      await world.succeeds(`chmod 0640 ${file}`);
    },
  },
  {
    name: "the unit's command as its user publishes the events of a file, and then those of a second file",
    async run(world) {
      await world.succeeds(AGENT);
      await world.publishes(FIRST.count);
      await world.addAuditFile(SECOND.path);
      await world.publishes(FIRST.count + SECOND.count);
      await world.succeeds('kill $(cat /mnt/agent.pid)');
      await until('the end of the agent', async () => {
        const { output } = await world.shell.run(
          'ls -d /proc/$(cat /mnt/agent.pid) 2>&1; cat /mnt/agent.log',
        );
        return /No such file/.test(output) || output;
      });
    },
  },
  {
    name: 'a repeated installation keeps the configuration without a question',
    async run(world) {
      const before = await world.succeeds(`cat ${CONFIG}`);
      await world.succeeds(`dpkg -i /mnt/${basename(world.deb)}`);
      assert.equal(await world.succeeds(`cat ${CONFIG}`), before);
      assert.equal(await world.succeeds(`stat -c '%U:%G %a' ${CONFIG}`), 'root:audit-agent 640\n');
    },
  },
  {
    name: 'removal keeps configuration and bookmarks',
    async run(world) {
      await world.succeeds('dpkg -r audit-agent');
      await world.succeeds(
        `test ! -e /usr/lib/audit-agent/node && test -e ${CONFIG} && ls /var/lib/audit-agent/checkpoints`,
      );
    },
  },
  {
    name: 'purge removes everything',
    async run(world) {
      await world.succeeds('dpkg -P audit-agent');
      await world.succeeds(
        'test ! -e /etc/audit-agent && test ! -e /var/lib/audit-agent && ! getent passwd audit-agent',
      );
    },
  },
];

/** A Debian with the package, and a service with a tenant. */
export class DebianWorld {
  constructor(shell, service, tenant, deb) {
    Object.assign(this, { shell, service, tenant, deb });
  }

  async addPackages() {
    await copyFile(this.deb, join(this.shell.work, basename(this.deb)));
  }

  /** Runs a script that must succeed. @returns its output */
  async succeeds(script) {
    const { code, output } = await this.shell.run(script);
    assert.equal(code, 0, `${script}\n${output}`);
    return output;
  }

  async addAuditFile(path) {
    await mkdir(join(this.shell.work, 'audit'), { recursive: true });
    await copyFile(path, join(this.shell.work, 'audit', basename(path)));
    await this.succeeds(
      `install -D -g mssql -m 0640 -t /var/opt/mssql/audit /mnt/audit/${basename(path)} && chgrp mssql /var/opt/mssql/audit`,
    );
  }

  publishes(count) {
    return this.service.publishes(this.tenant.readKey, count);
  }

  /** Collects what may explain a failure. */
  async evidence() {
    return (await this.shell.run('cat /mnt/agent.log')).output;
  }

  close() {
    return this.shell.close();
  }
}
