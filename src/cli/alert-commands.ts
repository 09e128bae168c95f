import { type Command, Option } from 'commander';
import type { Alert, AlertChange, Arguments } from '../generated/operations';
import { STATUS, VERDICT } from '../modules/detection/base/answers';
import { SEVERITIES } from '../rules/rule';
import { addAlertRouteCommands } from './alert-route-commands';
import { type OfTenant, tenantOf } from './only-tenant';
import { columnsOf, type Run } from './operations';
import { CommandError } from './service-client';
import { isoTime, type OnService, wholeNumber } from './service-command';
import { cell, inOrder, toTable } from './table';

const LIMIT_DEFAULT = 50;
const COLUMNS = columnsOf(
  'Alert',
  ...(['alertId', 'severity', 'status', 'title', 'tenantId', 'findingCount', 'eventCount'] as const),
);
const SUPPRESSIONS = columnsOf('AlertSuppression', 'suppressionId', 'until', 'reason');

/** `alert list`, `show`, and the commands that change alerts. */
export function addAlertCommands(alert: Command, onService: OnService): void {
  onService(
    alert
      .command('list')
      .description('lists alerts, newest first')
      .option('--tenant <id>', 'of this tenant only')
      .addOption(new Option('--status <status>', 'in this state').choices(Object.keys(STATUS.values)))
      .addOption(new Option('--severity <severity>', 'of this severity').choices([...SEVERITIES]))
      .option('--rule <ruleId>', 'of this rule')
      .option('--principal <name>', 'with events of this login')
      .option('--limit <n>', `alerts (default: ${LIMIT_DEFAULT})`, wholeNumber),
    async (run, { tenant, status, severity, rule, principal, limit }: Wanted) => {
      const given = {
        tenantId: tenant ?? null,
        status: status ?? null,
        severity: severity ?? null,
        ruleId: rule ?? null,
        principalName: principal ?? null,
        pageSize: limit ?? LIMIT_DEFAULT,
      };
      const { items } = await run('tenantAlerts', given, ['items']);
      const alerts = items.map(inOrder(COLUMNS));
      return { json: alerts, text: toTable(alerts.map(toRow)) };
    },
  );
  onService(
    alert.command('show').description('shows an alert and its changes').argument('<alertId>'),
    async (run, _options, alertId) => {
      const found = await run('tenantAlert', { alertId }, COLUMNS);
      if (!found) throw new CommandError('There is no such alert.', 'not_found');
      const changes = await run('alertChanges', { alertId });
      const lines = Object.entries(found).map(([name, value]) => `${name}: ${cell(value)}`);
      return { json: { ...found, changes }, text: [...lines, toTable(changes.map(toChangeRow))].join('\n') };
    },
  );
  addChangeCommands(alert, onService);
  addSuppressionCommands(alert, onService);
  addAlertRouteCommands(alert.command('route').description('routes: where alerts are sent'), onService);
}

interface Wanted extends OfTenant {
  readonly status?: string;
  readonly severity?: string;
  readonly rule?: string;
  readonly principal?: string;
  readonly limit?: number;
}

/** Each runs one mutation of an alert. */
function addChangeCommands(alert: Command, onService: OnService): void {
  const change = <O>(command: Command, ask: (run: Run, alertId: string, options: O) => Promise<Alert>) =>
    onService(command.argument('<alertId>'), async (run, options: O, alertId) => {
      const changed = await ask(run, alertId, options);
      return { json: changed, text: `alert ${changed.alertId}: ${changed.status}` };
    });
  change(
    alert
      .command('acknowledge')
      .description('acknowledges an alert')
      .option('--assignee <name>', 'who works on it (default: unchanged)')
      .option('--comment <text>', 'a note'),
    (run, alertId, { assignee, comment }: { assignee?: string; comment?: string }) =>
      run('acknowledgeAlert', { alertId, assignee: assignee ?? null, comment: comment ?? null }, COLUMNS),
  );
  change(
    alert
      .command('resolve')
      .description('resolves an alert with a verdict')
      .addOption(
        new Option('--verdict <verdict>', 'what it was')
          .choices(Object.keys(VERDICT.values))
          .makeOptionMandatory(),
      )
      .option('--comment <text>', 'a note'),
    (run, alertId, { verdict, comment }: Pick<Arguments['resolveAlert'], 'verdict'> & { comment?: string }) =>
      run('resolveAlert', { alertId, verdict, comment: comment ?? null }, COLUMNS),
  );
  change(
    alert
      .command('assign')
      .description('assigns an alert to a person')
      .option('--assignee <name>', 'who; without it: nobody'),
    (run, alertId, { assignee }: { assignee?: string }) =>
      run('assignAlert', { alertId, assignee: assignee ?? null }, COLUMNS),
  );
  change(
    alert
      .command('comment')
      .description('adds a comment to an alert')
      .requiredOption('--comment <text>', 'the note'),
    (run, alertId, { comment }: { comment: string }) => run('commentAlert', { alertId, comment }, COLUMNS),
  );
  change(
    alert
      .command('suppress')
      .description('suppresses an alert, and new alerts of its rule with the same group, until a time')
      .requiredOption('--until <time>', 'ISO 8601', isoTime)
      .requiredOption('--reason <text>', 'why')
      .option('--fields <names...>', 'fields of its group whose values must be the same (default: all)'),
    (run, alertId, { until, reason, fields }: { until: string; reason: string; fields?: string[] }) =>
      run('suppressAlert', { alertId, until, reason, fields: fields ?? null }, COLUMNS),
  );
}

function addSuppressionCommands(alert: Command, onService: OnService): void {
  onService(
    alert
      .command('suppressions')
      .description('lists suppressions')
      .option('--tenant <id>', 'of this tenant (default: the only one)'),
    async (run, options: OfTenant) => {
      const tenantId = await tenantOf(run, options);
      const suppressions = await run('alertSuppressions', { tenantId }, SUPPRESSIONS);
      const rows = suppressions.map(({ fields, ...row }) => ({ ...row, fields: JSON.stringify(fields) }));
      return { json: suppressions, text: toTable(rows) };
    },
  );
  onService(
    alert
      .command('unsuppress')
      .description('ends a suppression before its time: new findings make alerts again')
      .argument('<suppressionId>', 'as `alert suppressions` shows it')
      .option('--tenant <id>', 'of this tenant (default: the only one)'),
    async (run, options: OfTenant, suppressionId) => {
      const tenantId = await tenantOf(run, options);
      const ended = await run('endAlertSuppression', { tenantId, suppressionId });
      return { json: { suppressionId, ended }, text: `suppression ${suppressionId} has ended` };
    },
  );
}

/** The group is the longest, so it comes last. */
const toRow = ({ group, ...alert }: Alert) => ({ ...alert, group });
const toChangeRow = ({ changeId: _, ...row }: AlertChange) => row;
