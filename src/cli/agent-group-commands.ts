import { type Command, Option } from 'commander';
import { AGENT_LOG_LEVELS, AGENT_SETTING_NAMES } from '../event/agent-settings';
import type { AgentGroup, Arguments } from '../generated/operations';
import { type OfTenant, tenantOf } from './only-tenant';
import { gather, type OnService, wholeNumber } from './service-command';
import { toTable } from './table';

/** `agent-group create`, `update`, `list`, `delete`. */
export function addAgentGroupCommands(group: Command, onService: OnService): void {
  onService(
    withSettings(
      group
        .command('create')
        .description('makes a group of hosts; the first group that names a host counts')
        .option('--tenant <id>', 'of this tenant (default: the only one)')
        .requiredOption('--name <name>', 'the name of the group')
        .requiredOption(
          '--host <pattern>',
          'hosts, * for any text, ? for one character; may be repeated',
          gather,
        )
        .option('--position <n>', 'its place among the groups (default: the last)', wholeNumber),
    ),
    async (run, options: Creation) => {
      const { name, host, position } = options;
      const tenantId = await tenantOf(run, options);
      const asked = { tenantId, name, hosts: host, position, ...settingsOf(options) };
      const made = await run('createAgentGroup', asked);
      return { json: made, text: `group ${made.groupId}: ${said(made)}` };
    },
  );
  onService(
    withSettings(
      group
        .command('update')
        .description('changes a group; what is not given stays as it is')
        .argument('<groupId>', 'as `agent-group list` shows it')
        .option('--name <name>', 'another name')
        .option('--host <pattern>', 'in place of its hosts; may be repeated', gather)
        .option('--position <n>', 'its place among the groups', wholeNumber)
        .option(
          '--unset <setting>',
          `${AGENT_SETTING_NAMES.join(', ')}: becomes that of the agents' files; may be repeated`,
          gather,
        ),
    ),
    async (run, options: Change, groupId) => {
      const { name, host, position, unset } = options;
      const asked = { groupId, name, hosts: host, position, unset, ...settingsOf(options) };
      const changed = await run('updateAgentGroup', asked);
      return { json: changed, text: `group ${changed.groupId}: ${said(changed)}` };
    },
  );
  onService(
    group
      .command('list')
      .description('lists the groups in the order in which they count')
      .option('--tenant <id>', 'of this tenant (default: of every tenant)'),
    async (run, { tenant }: OfTenant) => {
      const groups = await run('agentGroups', { tenantId: tenant ?? null });
      return { json: groups, text: toTable(groups.map(toRow)) };
    },
  );
  onService(
    group
      .command('delete')
      .description('deletes a group; its agents run the settings of the next group, or of their files')
      .argument('<groupId>', 'as `agent-group list` shows it'),
    async (run, _: object, groupId) => {
      const deleted = await run('deleteAgentGroup', { groupId });
      return { json: deleted, text: `group ${deleted.groupId} (${deleted.name}) is deleted` };
    },
  );
}

const withSettings = (command: Command): Command =>
  command
    .option('--poll-interval-ms <n>', 'between two listings of the audit files', wholeNumber)
    .option('--batch-max-events <n>', 'the most events of a request', wholeNumber)
    .addOption(
      new Option('--log-level <level>', 'the least level in the log').choices(Object.keys(AGENT_LOG_LEVELS)),
    )
    .option('--database-on <name>', 'publish this database of the file; may be repeated', gather)
    .option('--database-off <name>', 'do not publish it: it shows as a problem; may be repeated', gather);

const settingsOf = (options: Settings) => ({
  pollIntervalMs: options.pollIntervalMs,
  batchMaxEvents: options.batchMaxEvents,
  logLevel: options.logLevel,
  databasesOn: options.databaseOn,
  databasesOff: options.databaseOff,
});

const said = ({ name, hosts, version }: AgentGroup): string =>
  `${name} (${hosts.join(', ')}), version ${version}`;

const toRow = ({ settings, ...group }: AgentGroup) => {
  const { groupId, tenantId, position, name, hosts, version } = group;
  return { groupId, tenantId, position, name, hosts, version, ...settings };
};

interface Settings {
  readonly pollIntervalMs?: number;
  readonly batchMaxEvents?: number;
  readonly logLevel?: Arguments['createAgentGroup']['logLevel'];
  readonly databaseOn?: string[];
  readonly databaseOff?: string[];
}

interface Creation extends OfTenant, Settings {
  readonly name: string;
  readonly host: string[];
  readonly position?: number;
}

interface Change extends Settings {
  readonly name?: string;
  readonly host?: string[];
  readonly position?: number;
  readonly unset?: string[];
}
