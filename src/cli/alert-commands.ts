import { type Command, Option } from 'commander';
import { SEVERITIES } from '../detection/rule';
import type { Answer } from '../event/shape';
import { ALERT, STATUS, VERDICT } from '../modules/detection/answers';
import { ALERT_CHANGE, ALERT_SUPPRESSION } from '../modules/detection/work-answers';
import { addAlertRouteCommands } from './alert-route-commands';
import { tenantOf } from './only-tenant';
import { CommandError } from './service-client';
import { isoTime, type OnService, type Run, wholeNumber } from './service-command';
import { cell, columnsOf, toTable } from './table';

type Alert = Answer<typeof ALERT>;
type Change = Answer<typeof ALERT_CHANGE>;
type Suppression = Answer<typeof ALERT_SUPPRESSION>;

const LIMIT_DEFAULT = 50;
const FIELDS = columnsOf(
  ALERT,
  ...(['alertId', 'severity', 'status', 'title', 'tenantId', 'findingCount', 'eventCount'] as const),
);
const CHANGES = columnsOf(ALERT_CHANGE);
const SUPPRESSION = columnsOf(ALERT_SUPPRESSION, 'suppressionId', 'until', 'reason');

/** `alert list`, `show`, and the commands that change alerts. */
export function addAlertCommands(alert: Command, onService: OnService): void {
  onService(
    alert
      .command('list')
      .description('lists alerts, those that began last first')
      .option('--tenant <id>', 'of this tenant only')
      .addOption(new Option('--status <status>', 'in this state').choices(Object.keys(STATUS.values)))
      .addOption(new Option('--severity <severity>', 'of this severity').choices([...SEVERITIES]))
      .option('--rule <ruleId>', 'of this rule')
      .option('--principal <name>', 'with events of this login')
      .option('--limit <n>', `alerts (default: ${LIMIT_DEFAULT})`, wholeNumber),
    async (run, { tenant, status, severity, rule, principal, limit }) => {
      const { tenantAlerts } = await run<{ tenantAlerts: { items: Alert[] } }>(
        `query($tenantId: String, $status: String, $severity: String, $ruleId: String, $principalName: String, $pageSize: Int) {
          tenantAlerts(tenantId: $tenantId, status: $status, severity: $severity, ruleId: $ruleId,
            principalName: $principalName, pageSize: $pageSize) { items { ${FIELDS} } } }`,
        {
          tenantId: tenant ?? null,
          status: status ?? null,
          severity: severity ?? null,
          ruleId: rule ?? null,
          principalName: principal ?? null,
          pageSize: limit ?? LIMIT_DEFAULT,
        },
      );
      return { json: tenantAlerts.items, text: toTable(tenantAlerts.items.map(toRow)) };
    },
  );
  onService(
    alert.command('show').description('shows an alert and what was done with it').argument('<alertId>'),
    async (run, _options, alertId) => {
      const found = await run<{ tenantAlert: Alert | null; alertChanges: Change[] }>(
        `query($alertId: String!) { tenantAlert(alertId: $alertId) { ${FIELDS} }
          alertChanges(alertId: $alertId) { ${CHANGES} } }`,
        { alertId },
      );
      if (!found.tenantAlert) throw new CommandError('There is no such alert.', 'not_found');
      const json = { ...found.tenantAlert, changes: found.alertChanges };
      const lines = Object.entries(found.tenantAlert).map(([name, value]) => `${name}: ${cell(value)}`);
      return { json, text: [...lines, toTable(found.alertChanges.map(toChangeRow))].join('\n') };
    },
  );
  change(onService, alert.command('acknowledge').description('says that somebody works on it'), {
    mutation: 'acknowledgeAlert',
    types: { assignee: 'String', comment: 'String' },
    options: (command) =>
      command.option('--assignee <name>', 'who (default: as before)').option('--comment <text>', 'a note'),
  });
  change(onService, alert.command('resolve').description('says that it is done'), {
    mutation: 'resolveAlert',
    types: { verdict: `${VERDICT.name}!`, comment: 'String' },
    options: (command) =>
      command
        .addOption(
          new Option('--verdict <verdict>', 'what it was')
            .choices(Object.keys(VERDICT.values))
            .makeOptionMandatory(),
        )
        .option('--comment <text>', 'a note'),
  });
  change(onService, alert.command('assign').description('says who works on it'), {
    mutation: 'assignAlert',
    types: { assignee: 'String' },
    options: (command) => command.option('--assignee <name>', 'who; without it: nobody'),
  });
  change(onService, alert.command('comment').description('adds a note'), {
    mutation: 'commentAlert',
    types: { comment: 'String!' },
    options: (command) => command.requiredOption('--comment <text>', 'the note'),
  });
  change(onService, alert.command('suppress').description('keeps it and its like quiet until a time'), {
    mutation: 'suppressAlert',
    types: { until: 'String!', reason: 'String!', fields: '[String!]' },
    options: (command) =>
      command
        .requiredOption('--until <time>', 'ISO 8601', isoTime)
        .requiredOption('--reason <text>', 'why')
        .option('--fields <names...>', 'fields of its group whose values must be the same (default: all)'),
  });
  addSuppressionCommands(alert, onService);
  addAlertRouteCommands(alert.command('route').description('where alerts are told'), onService);
}

function addSuppressionCommands(alert: Command, onService: OnService): void {
  onService(
    alert
      .command('suppressions')
      .description('lists what is kept quiet')
      .option('--tenant <id>', 'of this tenant (default: the only one)'),
    async (run, options) => {
      const { alertSuppressions } = await run<{ alertSuppressions: Suppression[] }>(
        `query($tenantId: String!) { alertSuppressions(tenantId: $tenantId) { ${SUPPRESSION} } }`,
        { tenantId: await tenantOf(run, options) },
      );
      const rows = alertSuppressions.map(({ fields, ...row }) => ({
        ...row,
        fields: JSON.stringify(fields),
      }));
      return { json: alertSuppressions, text: toTable(rows) };
    },
  );
  onService(
    alert
      .command('unsuppress')
      .description('ends it before its time: what is found from now on is told')
      .argument('<suppressionId>', 'as `alert suppressions` shows it')
      .option('--tenant <id>', 'of this tenant (default: the only one)'),
    async (run, options, suppressionId) => {
      const { endAlertSuppression: ended } = await run<{ endAlertSuppression: boolean }>(
        `mutation($tenantId: String!, $suppressionId: String!) {
          endAlertSuppression(tenantId: $tenantId, suppressionId: $suppressionId) }`,
        { tenantId: await tenantOf(run, options), suppressionId },
      );
      return { json: { suppressionId, ended }, text: `suppression ${suppressionId} has ended` };
    },
  );
}

/** Adds a command that runs one mutation of an alert. */
function change(
  onService: OnService,
  command: Command,
  of: {
    readonly mutation: string;
    readonly types: Readonly<Record<string, string>>;
    readonly options: (command: Command) => Command;
  },
): void {
  const names = Object.keys(of.types);
  const declared = ['$alertId: String!', ...names.map((name) => `$${name}: ${of.types[name]}`)].join(', ');
  const given = ['alertId: $alertId', ...names.map((name) => `${name}: $${name}`)].join(', ');
  onService(of.options(command.argument('<alertId>')), async (run: Run, options, alertId) => {
    const values = Object.fromEntries(names.map((name) => [name, options[name] ?? null]));
    const done = await run<Record<string, Alert>>(
      `mutation(${declared}) { ${of.mutation}(${given}) { ${FIELDS} } }`,
      { alertId, ...values },
    );
    const changed = done[of.mutation] as Alert;
    return { json: changed, text: `alert ${changed.alertId}: ${changed.status}` };
  });
}

/** The group is the longest, so it comes last. */
const toRow = ({ group, ...alert }: Alert) => ({ ...alert, group });
const toChangeRow = ({ changeId: _, ...row }: Change) => row;
