import { Command } from 'commander';
import type { Distribution } from '../database/distribute/distribute';
import { BUILD_VERSION } from '../generated/version';
import { addAccessLogCommand } from './access-log-command';
import { addAgentGroupCommands } from './agent-group-commands';
import { addAgentPackageCommands } from './agent-package-commands';
import { addAlertCommands } from './alert-commands';
import { addArchiveCommands } from './archive-commands';
import { addComplianceCommands } from './compliance-commands';
import { addDestinationCommands } from './destination-commands';
import { addEraseCommands } from './erase-commands';
import { errorLine } from './error-output';
import { addEvidenceCommands } from './evidence-command';
import { addExplainCommand } from './explain-command';
import { addHoldCommands } from './hold-commands';
import { addIncidentCommands } from './incident-commands';
import { addKeyCommands, type KeyPorts } from './key-commands';
import { addReportCommands } from './report-commands';
import { addRestoreCommands, type RestorePorts } from './restore-commands';
import { addRuleCommands } from './rule-commands';
import { type OperatorPorts, type Options, serviceCommands, wholeNumber } from './service-command';
import { addSourceCommand } from './source-command';
import { addTenantCommands } from './tenant-commands';
import { addVerifyCommand } from './verify-command';
import { addWitnessCommand, type WitnessPorts } from './witness-command';

export interface CommandPorts extends KeyPorts, OperatorPorts, RestorePorts, WitnessPorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether errors of the command line itself are printed as JSON. */
  readonly asJson: boolean;
  /** Applies the missing migrations. @returns their names */
  readonly migrate: () => Promise<readonly string[]>;
  /** Distributes the tables over a cluster. @param shards null: the cluster's setting */
  readonly distribute: (shards: number | null) => Promise<Distribution>;
  /** Makes the roles that a dump names. @returns the statements that were run */
  readonly prepareRestore: () => Promise<readonly string[]>;
}

/**
 * The operators' command line. `migrate`, `prepare-restore`, `finish-restore`, `distribute` and `operator-key recover`
 * work on the database, and `witness` on a folder of its own. All other commands call a running service through GraphQL.
 */
export function createProgram(ports: CommandPorts): Command {
  const { print, asJson } = ports;
  const program = new Command('audit-activity')
    .description('Operates an Audit Activity service.')
    .version(BUILD_VERSION)
    // This must come before the commands are made, because they copy the configuration.
    .configureOutput({
      outputError: (text, write) =>
        write(asJson ? `${errorLine(new UsageError(text.replace(/^error: /, '')), asJson)}\n` : text),
    });
  const onService = serviceCommands(ports);

  program
    .command('migrate')
    .description('applies the database migrations that are missing (DATABASE_URL, or DATA_DIR)')
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const applied = await ports.migrate();
      if (options.json) print(JSON.stringify({ applied }));
      else print(applied.length > 0 ? `applied: ${applied.join(', ')}` : 'nothing to apply');
    });

  program
    .command('prepare-restore')
    .description('makes the role that a dump of the database names, before pg_restore fills an empty one')
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const done = await ports.prepareRestore();
      if (options.json) print(JSON.stringify({ done }));
      else print(done.length > 0 ? `done: ${done.join('; ')}` : 'nothing to prepare');
    });

  addRestoreCommands(program, ports);

  program
    .command('distribute')
    .description('spreads the tables over a Citus cluster by tenant (DATABASE_URL: its coordinator)')
    .option('--shards <n>', 'shards of each table (default: as the cluster is set)', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (options: Options & { shards?: number }) => {
      const done = await ports.distribute(options.shards ?? null);
      if (options.json) print(JSON.stringify(done));
      else
        print(
          done.distributed.length > 0
            ? `distributed: ${done.distributed.join(', ')}`
            : 'nothing to distribute',
        );
    });

  addTenantCommands(program.command('tenant').description('tenants'), onService);

  addDestinationCommands(
    program.command('destination').description('where events of a tenant are sent as they arrive'),
    onService,
  );

  addArchiveCommands(program.command('archive').description('weeks whose events lie in files'), onService);

  addHoldCommands(
    program.command('hold').description('legal holds: events that retention does not remove'),
    onService,
  );

  addSourceCommand(program, onService);
  addAgentGroupCommands(
    program
      .command('agent-group')
      .description('groups of hosts, and the settings that their agents are to run'),
    onService,
  );
  addAgentPackageCommands(
    program.command('agent-package').description('packages of the agent for groups of hosts'),
    onService,
    print,
  );
  addEraseCommands(program, onService);
  addExplainCommand(program, onService);
  addVerifyCommand(program, ports);
  addWitnessCommand(program, ports);
  addEvidenceCommands(program.command('evidence').description('what proves events to others'), ports);

  addKeyCommands(program, onService, ports);

  addAlertCommands(program.command('alert').description('alerts'), onService);
  addIncidentCommands(
    program.command('incident').description('incidents: alerts that belong together'),
    onService,
  );

  addRuleCommands(program.command('rule').description('rules that look for attacks'), onService);

  addComplianceCommands(program.command('compliance').description('assessments of compliance'), onService);
  addReportCommands(program.command('report').description('reports for auditors'), onService);

  addAccessLogCommand(program, onService);
  return program;
}

/** An error in the command line itself, found before any request. */
class UsageError extends Error {
  readonly code = 'usage';
}
