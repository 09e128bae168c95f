import type { Command } from 'commander';
import type { ComplianceDeclaration } from '../generated/operations';
import { type OfTenant, tenantOf } from './only-tenant';
import type { Run } from './operations';
import { isoTime, type OnService } from './service-command';
import { toTable } from './table';
import { textOf } from './text-file';

/** `compliance scope` and `compliance snapshot`. */
export function addComplianceCommands(compliance: Command, onService: OnService): void {
  const scope = compliance
    .command('scope')
    .description(
      'what is declared about servers for assessments: sensitive objects, auditors, applications, working hours',
    );
  const ofTenant = (command: Command) =>
    command.option('--tenant <id>', 'of this tenant (default: the only one)');
  const declaring = (command: Command) =>
    ofTenant(command)
      .requiredOption('--reason <text>', 'why; the access log and assessments show it')
      .option('--from <time>', 'from when it holds (default: now)', isoTime);
  const onInstance = (command: Command) =>
    command.option('--instance <name>', 'of this server instance (default: every one)');

  onService(
    ofTenant(scope.command('list').description('lists what is declared, also what has ended')).option(
      '--as-of <time>',
      'only what holds at this moment',
      isoTime,
    ),
    async (run, options: OfTenant & { asOf?: string }) => {
      const tenantId = await tenantOf(run, options);
      const all = await run('complianceDeclarations', { tenantId, asOf: options.asOf });
      return { json: all, text: toTable(all.map(toRow)) };
    },
  );
  onService(
    onInstance(declaring(scope.command('sensitive').description('declares a database or object sensitive')))
      .requiredOption('--database <name>', 'the database')
      .option('--schema <name>', 'this schema only')
      .option('--object <name>', 'this object only'),
    (run, { database, schema, object, ...options }: Declaring & Sensitive) =>
      declare(run, options, {
        kind: 'sensitive',
        databaseName: database,
        schemaName: schema,
        objectName: object,
      }),
  );
  onService(
    onInstance(
      declaring(
        scope
          .command('auditor')
          .description('declares a login that may choose what is audited')
          .argument('<login>'),
      ),
    ),
    (run, options: Declaring, principalName) => declare(run, options, { kind: 'auditor', principalName }),
  );
  onService(
    onInstance(
      declaring(
        scope
          .command('application')
          .description('declares an application through which people and programs reach the server')
          .argument('<name>', 'as log-ons state it; * at its end stands for any text'),
      ),
    ),
    (run, options: Declaring, applicationName) =>
      declare(run, options, { kind: 'application', applicationName }),
  );
  onService(
    onInstance(
      declaring(
        scope
          .command('working-hours')
          .description('declares when people work on the server; reports show what was done at other times')
          .argument('<hours>', 'such as "Mon-Fri 07:00-19:00 Europe/Berlin"'),
      ),
    ),
    (run, options: Declaring, workingHours) => declare(run, options, { kind: 'workingHours', workingHours }),
  );
  onService(
    declaring(
      scope
        .command('exclude')
        .description('excludes a server instance from assessments, such as a test server')
        .argument('<instance>'),
    ),
    (run, options: Declaring, instance) => declare(run, { ...options, instance }, { kind: 'excluded' }),
  );
  onService(
    ofTenant(
      scope
        .command('end')
        .description('ends a declaration; past moments still use it')
        .argument('<declaration>'),
    ).option('--until <time>', 'until when it holds (default: now)', isoTime),
    async (run, options: OfTenant & { until?: string }, declarationId) => {
      const tenantId = await tenantOf(run, options);
      const asked = { tenantId, declarationId, validUntil: options.until };
      const ended = await run('endComplianceDeclaration', asked);
      return { json: ended, text: `declaration ${declarationId}: ends at ${ended.validUntil}` };
    },
  );
  onService(
    ofTenant(
      compliance
        .command('snapshot')
        .description("snapshots of servers' audit specifications")
        .command('upload')
        .description(
          'uploads what the question of docs/compliance.md answered; the access log keeps its hash',
        )
        .argument('<file>'),
    ),
    async (run, options: OfTenant, file) => {
      const tenantId = await tenantOf(run, options);
      const made = await run('uploadComplianceSnapshot', { tenantId, snapshot: textOf(file) });
      const { serverInstanceName, validFrom, sha256 } = made;
      return { json: made, text: `snapshot of ${serverInstanceName} at ${validFrom}: sha256 ${sha256}` };
    },
  );
}

interface Declaring extends OfTenant {
  readonly reason: string;
  readonly from?: string;
  readonly instance?: string;
}
interface Sensitive {
  readonly database: string;
  readonly schema?: string;
  readonly object?: string;
}
type What = Pick<ComplianceDeclaration, 'kind'> &
  Partial<
    Record<
      'databaseName' | 'schemaName' | 'objectName' | 'principalName' | 'applicationName' | 'workingHours',
      string | undefined
    >
  >;

async function declare(run: Run, options: Declaring, what: What) {
  const { reason, from, instance } = options;
  const { kind, databaseName, schemaName, objectName, principalName, applicationName, workingHours } = what;
  const made = await run('declareCompliance', {
    tenantId: await tenantOf(run, options),
    kind,
    serverInstanceName: instance,
    databaseName,
    schemaName,
    objectName,
    principalName,
    applicationName,
    workingHours,
    reason,
    validFrom: from,
  });
  return { json: made, text: `declaration ${made.declarationId}: holds from ${made.validFrom}` };
}

const toRow = (one: ComplianceDeclaration) => ({
  declarationId: one.declarationId,
  kind: one.kind,
  what:
    one.sha256 ??
    one.principalName ??
    one.applicationName ??
    one.workingHours ??
    [one.databaseName, one.schemaName, one.objectName].filter((part) => part !== null).join('.'),
  instance: one.serverInstanceName ?? 'every one',
  from: one.validFrom,
  until: one.validUntil,
  by: one.createdBy,
  reason: one.reason,
});
