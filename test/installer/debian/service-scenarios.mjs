import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { until } from '../support/until.mjs';

const SETTINGS = '/etc/audit-activity/environment';
/** Starts the unit's own command as its user and with its environment, because the test system has no systemd. */
const START = `set -a
unit=/usr/lib/systemd/system/audit-activity.service
eval "$(sed -n 's/^Environment=//p' $unit)"
. ${SETTINGS}
set +a
cd $(sed -n 's/^WorkingDirectory=//p' $unit)
setpriv --reuid audit-activity --regid audit-activity --init-groups --bounding-set=-all --no-new-privs \\
  $(sed -n 's/^ExecStart=//p' $unit) >/mnt/service.out 2>/mnt/service.log &
echo $! >/mnt/service.pid`;

/** The scenarios run in order: each begins with the state that the one before has left. */
export const SERVICE_SCENARIOS = [
  {
    name: 'installation makes a user and a folder, and only root can read the settings',
    async run(world) {
      await world.succeeds(`dpkg -i /mnt/${basename(world.deb)}`);
      assert.equal(await world.succeeds(`stat -c '%U:%G %a' ${SETTINGS}`), 'root:audit-activity 640\n');
      assert.equal(
        await world.succeeds("stat -c '%U:%G %a' /var/lib/audit-activity"),
        'audit-activity:audit-activity 700\n',
      );
      assert.equal(await world.succeeds('audit-activity --version'), `${world.version}\n`);
    },
  },
  {
    name: "the unit's command as its user starts the service, with its keys in its own folder",
    async run(world) {
      await world.succeeds(`printf 'PORT=${world.port}\\nLOG_LEVEL=warn\\n' >>${SETTINGS}`);
      await world.succeeds(START);
      await until('the service', async () => {
        const { output } = await world.shell.run('cat /mnt/service.out /mnt/service.log');
        return /^listening on /m.test(output) || output;
      });
      assert.equal(
        await world.succeeds("stat -c '%U %a' /var/lib/audit-activity/operator.key"),
        'audit-activity 600\n',
      );
    },
  },
  {
    name: "root can run the operators' commands, and the three calls are answered",
    async run(world) {
      const operate = async (command) =>
        JSON.parse(await world.succeeds(`audit-activity ${command} --json --url ${world.url}`));
      const { tenantId } = await operate('tenant create --name Contoso');
      const agent = await operate(`agent-key create --name agent --tenant ${tenantId}`);
      const reader = await operate(`key create --name r --tenant ${tenantId} --scope read:audit-activity`);
      const query =
        'mutation($batch: AuditEventBatch!) { ingestAuditEvents(batch: $batch) { accepted duplicates } }';
      const { data } = await world.call('/graphql', agent.key, { query, variables: { batch: BATCH } });
      assert.deepEqual(data.ingestAuditEvents, { accepted: 1, duplicates: 0 });
      const api = '/api/v1/public/audit-activity';
      const list = await world.call(api, reader.key);
      assert.equal(list.meta.totalCount, 1);
      const detail = await world.call(`${api}/${list.data[0].recordId}`, reader.key);
      assert.equal(detail.data.statement, BATCH.events[0].statement);
      assert.equal((await world.call(`${api}/summary`, reader.key)).data.totalCount, 1);
    },
  },
  {
    name: 'SIGTERM ends the service',
    async run(world) {
      await world.succeeds('kill $(cat /mnt/service.pid)');
      await until('the end of the service', async () => {
        const { output } = await world.shell.run('ls -d /proc/$(cat /mnt/service.pid) 2>&1');
        return /No such file/.test(output) || output;
      });
      // On a busy machine, the service says what took long.
      const lines = (await world.succeeds('cat /mnt/service.log')).split('\n');
      assert.deepEqual(
        lines.filter((line) => line !== '' && !line.includes('"tookMs":')),
        [],
      );
    },
  },
  {
    name: 'a repeated installation keeps the settings without a question',
    async run(world) {
      await world.succeeds(`dpkg -i /mnt/${basename(world.deb)}`);
      assert.match(await world.succeeds(`cat ${SETTINGS}`), new RegExp(`^PORT=${world.port}$`, 'm'));
    },
  },
  {
    name: 'removal keeps settings and keys, and purge removes everything',
    async run(world) {
      await world.succeeds('dpkg -r audit-activity');
      await world.succeeds(`test ! -e /usr/lib/audit-activity/node && test -e ${SETTINGS}`);
      await world.succeeds('test -e /var/lib/audit-activity/checkpoint.key');
      await world.succeeds('dpkg -P audit-activity');
      await world.succeeds('test ! -e /etc/audit-activity && test ! -e /var/lib/audit-activity');
      await world.succeeds('! getent passwd audit-activity');
    },
  },
];

const BATCH = {
  events: [
    {
      eventTime: '2026-01-05T08:00:00.0000001Z',
      actionId: 'SL',
      succeeded: true,
      serverInstanceName: 'SQLPROD01',
      databaseName: 'Payroll',
      serverPrincipalName: 'CORP\\alice',
      statement: 'SELECT 1',
      sourceType: 'DirectFile',
      file: 'a.sqlaudit',
      fileGuid: '6f1f0f4e-0d7a-4d52-9a57-31d0f4cf1f8a',
      blockOffset: 5632,
      index: 0,
      parts: 1,
    },
  ],
};

/** A Debian with the service's package. The service listens on an address that the test reaches. */
export class ServiceWorld {
  constructor(shell, deb, version, port) {
    Object.assign(this, { shell, deb, version, port, url: `http://127.0.0.1:${port}` });
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

  /** Asks the service. A body makes the request a POST. @returns the JSON of the answer */
  async call(path, key, body) {
    const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
    const options = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    const response = await fetch(this.url + path, options);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  }

  /** Collects what may explain a failure. */
  async evidence() {
    return (await this.shell.run('cat /mnt/service.out /mnt/service.log')).output;
  }

  close() {
    return this.shell.close();
  }
}
