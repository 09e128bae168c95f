import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLinesDuring } from '../support/command-lines.mjs';
import { configOf, FIRST, OTHER, SECOND } from '../support/samples.mjs';
import { DATA, PROGRAMS } from './windows-world.mjs';

const CONFIG = `${DATA}\\config.json`;

/** The scenarios run in order: each begins with the state that the one before has left. */
export const SCENARIOS = [
  {
    name: 'missing properties: 1603, all of them are named, and nothing changes',
    async run(world) {
      assert.equal(await world.install('first', 'APIURL="http://localhost"'), 1603);
      assert.match(await world.log(), /Missing properties: APIKEY, AUDITPATH, DBNAME\./);
      await isNotInstalled(world);
    },
  },
  {
    name: 'CONFIGFILE beside properties: 1603',
    async run(world) {
      assert.equal(await world.install('first', `CONFIGFILE=C:\\t\\c.json ${world.properties()}`), 1603);
      assert.match(
        await world.log(),
        /CONFIGFILE is the whole configuration and cannot go together with APIURL, /,
      );
      await isNotInstalled(world);
    },
  },
  {
    name: 'CONFIGFILE that cannot be read: 1603 with its path and the reason, and a rollback',
    async run(world) {
      assert.equal(await world.install('first', 'CONFIGFILE=C:\\t\\absent.json'), 1603);
      assert.match(await world.log(), /CONFIGFILE C:\\t\\absent\.json: cannot be read: ENOENT/);
      await isNotInstalled(world);
      assert.equal(world.exists(CONFIG), false);
    },
  },
  {
    name: 'CONFIGFILE with mistakes: 1603 with every mistake',
    async run(world) {
      const content = configOf(world, [['Payroll', 'C:\\Audit Files\\*.sqlaudit']]);
      content.CentralApi.BaseUrl = 'ftp://x';
      content.CentralApi.TenantID = '7';
      await world.write('C:\\t\\bad.json', JSON.stringify(content));
      assert.equal(await world.install('first', 'CONFIGFILE=C:\\t\\bad.json'), 1603);
      const log = await world.log();
      assert.match(log, /CentralApi\.BaseUrl must be an http or https address/);
      assert.match(log, /CentralApi\.TenantID is no setting/);
      await isNotInstalled(world);
    },
  },
  {
    name: 'a value that the agent refuses: 1603 with the reason, and never the key',
    async run(world) {
      assert.equal(await world.install('first', world.properties({ APIURL: 'localhost' })), 1603);
      assert.match(await world.log(), /refused: .*CentralApi\.BaseUrl must be an http or https address/);
      await isNotInstalled(world);
    },
  },
  {
    name: 'method A: 0, the service is Running and publishes the file, and no child process gets the key as an argument',
    async run(world) {
      await world.addAuditFile(FIRST.path);
      const lines = await commandLinesDuring(async () => {
        assert.equal(await world.install('first', world.properties()), 0);
      });
      assert.ok(lines.some((line) => line.includes('configure --stdin')));
      const withKey = lines.filter((line) => line.includes(world.tenant.agentKey));
      assert.deepEqual(
        withKey.filter((line) => !/msiexec/i.test(line)),
        [],
      );
      await world.runs();
      assert.deepEqual(await world.config(), configOf(world, [['Payroll', 'C:\\Audit Files\\*.sqlaudit']]));
      await world.publishes(FIRST.count);
      assert.equal(world.exists(`${CONFIG}.fresh`), false);
    },
  },
  {
    name: 'upgrade without properties: 0, configuration and bookmarks stay, and publishing continues',
    async run(world) {
      const before = await world.read(CONFIG);
      assert.equal(await world.install('second'), 0);
      await world.runs();
      assert.equal(await world.read(CONFIG), before);
      await world.addAuditFile(SECOND.path);
      await world.publishes(FIRST.count + SECOND.count);
      // Without its bookmark the agent would have sent the first file again.
      await world.says(/[1-9]\d* published \(/g, 2);
      assert.doesNotMatch(await world.agentLog(), /\([1-9]\d* duplicates/);
    },
  },
  {
    name: 'the same package again with a property: 0, and only this property changes',
    async run(world) {
      const before = await world.config();
      assert.equal(await world.install('second', 'AUDITPATH="C:\\Audit Files\\Server*.sqlaudit"'), 0);
      await world.runs();
      before.EventHubPublisher.Databases[0].AuditSource.DirectFile.AuditFilePath =
        'C:\\Audit Files\\Server*.sqlaudit';
      assert.deepEqual(await world.config(), before);
      assert.equal(world.exists(`${CONFIG}.prev`), false);
    },
  },
  {
    name: 'downgrade: 1603 with a line that says so, 1638 from install-agent.cmd, and the newer version continues',
    async run(world) {
      assert.equal(await world.install('first', world.properties()), 1603);
      assert.match(await world.log(), /A newer version of .* is already installed/);
      if (world.hasExitCodes) assert.equal(await world.installByScript('first', world.properties()), 1638);
      await world.runs();
    },
  },
  {
    name: "upgrade whose agent does not start: 1603 with the agent's last output, and the old configuration is restored",
    async run(world) {
      const before = await world.read(CONFIG);
      assert.equal(await world.install('broken', 'DBNAME="Renamed"'), 1603);
      const log = await world.log();
      assert.match(log, /this agent cannot start/);
      assert.match(log, /The service AgentEventHubPublisher does not run/);
      assert.equal(await world.read(CONFIG), before);
    },
  },
  {
    name: 'installation over a kept configuration, without properties: 0',
    async run(world) {
      // Windows repairs this by itself after a failed upgrade, but Wine does not.
      assert.equal(await world.install('second'), 0);
      await world.runs();
      await world.publishes(FIRST.count + SECOND.count);
    },
  },
  {
    name: 'stop and start: within the deadline, and the key is in no file except the configuration',
    async run(world) {
      const started = Date.now();
      assert.equal((await world.wine.batch('net stop AgentEventHubPublisher')).code, 0);
      assert.equal(await world.serviceState(), 'STOPPED');
      assert.ok(Date.now() - started < 20_000);
      await keyIsOnlyInTheConfiguration(world);
      assert.match(await world.read(`${DATA}\\logs\\service.log`), /the agent has stopped/);
      assert.equal((await world.wine.batch('net start AgentEventHubPublisher')).code, 0);
      await world.runs();
    },
  },
  {
    name: 'uninstall: 0, service and programs are removed, configuration and bookmarks stay',
    async run(world) {
      assert.equal(await world.uninstall('second'), 0);
      await isNotInstalled(world);
      assert.ok((await world.checkpoints()).length > 0);
      assert.ok(world.exists(CONFIG));
    },
  },
  {
    name: 'method B, with install-agent.cmd: 0, the service is Running and publishes each database',
    async run(world) {
      await world.addAuditFile(OTHER.path, 'C:\\Other');
      const content = configOf(world, [
        ['Payroll', 'C:\\Audit Files\\*.sqlaudit'],
        ['Logins', 'C:\\Other\\*.sqlaudit'],
      ]);
      await world.write('C:\\t\\my config.json', `\uFEFF${JSON.stringify(content)}`);
      const code = await world.installByScript('second', 'CONFIGFILE="C:\\t\\my config.json"');
      if (world.hasExitCodes) assert.equal(code, 0);
      await world.runs();
      assert.deepEqual(await world.config(), content);
      await world.publishes(FIRST.count + SECOND.count + OTHER.count);
    },
  },
  {
    name: 'uninstall with PURGE=1: everything is removed',
    async run(world) {
      assert.equal(await world.uninstall('second', 'PURGE=1'), 0);
      await isNotInstalled(world);
      assert.equal(world.exists(DATA), false);
    },
  },
];

async function isNotInstalled(world) {
  assert.equal(await world.serviceState(), null);
  assert.equal(world.exists(`${PROGRAMS}\\agent.js`), false);
}

async function keyIsOnlyInTheConfiguration(world) {
  const names = await readdir(world.wine.path(DATA), { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const withKey = files.filter((path) => readFileSync(path, 'utf8').includes(world.tenant.agentKey));
  assert.deepEqual(withKey, [world.wine.path(CONFIG)]);
}
