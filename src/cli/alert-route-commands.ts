import { type Command, Option } from 'commander';
import { SEVERITIES } from '../detection/rule';
import type { Answer } from '../event/shape';
import { ALERT_ROUTE } from '../modules/detection/work-answers';
import { tenantOf } from './only-tenant';
import type { OnService } from './service-command';
import { columnsOf, toTable } from './table';

type Route = Answer<typeof ALERT_ROUTE>;
const FIELDS = columnsOf(ALERT_ROUTE, 'routeId', 'name', 'kind');

/** `alert route create`, `list`, `remove`. */
export function addAlertRouteCommands(route: Command, onService: OnService): void {
  onService(
    route
      .command('create')
      .description('has alerts of a tenant told by e-mail, or to a destination')
      .requiredOption('--tenant <id>', 'the tenant whose alerts are told')
      .requiredOption('--name <name>', 'what it is for')
      .option('--email <addresses...>', 'who gets mail')
      .option('--destination <destinationId>', 'in place of mail; as `destination list` shows it')
      .addOption(
        new Option('--format <format>', 'for a destination (default: json)').choices(['json', 'ocsf']),
      )
      .addOption(
        new Option('--severity <severity>', 'at least this one (default: all)').choices([...SEVERITIES]),
      )
      .option('--rule <ruleId>', 'of this rule only'),
    async (run, { tenant, name, email, destination, format, severity, rule }) => {
      const { createAlertRoute: made } = await run<{ createAlertRoute: Route }>(
        `mutation($tenantId: String!, $name: String!, $emails: [String!], $destinationId: String, $format: String,
          $severity: String, $ruleId: String) { createAlertRoute(tenantId: $tenantId, name: $name, emails: $emails,
          destinationId: $destinationId, format: $format, severity: $severity, ruleId: $ruleId) { ${FIELDS} } }`,
        {
          tenantId: tenant,
          name,
          emails: email ?? null,
          destinationId: destination ?? null,
          format: format ?? null,
          severity: severity ?? null,
          ruleId: rule ?? null,
        },
      );
      return { json: made, text: `route ${made.routeId}` };
    },
  );
  onService(
    route
      .command('list')
      .description('lists where the alerts of a tenant are told')
      .option('--tenant <id>', 'of this tenant (default: the only one)'),
    async (run, options) => {
      const { alertRoutes } = await run<{ alertRoutes: Route[] }>(
        `query($tenantId: String!) { alertRoutes(tenantId: $tenantId) { ${FIELDS} } }`,
        { tenantId: await tenantOf(run, options) },
      );
      return { json: alertRoutes, text: toTable(alertRoutes) };
    },
  );
  onService(
    route
      .command('remove')
      .description('has alerts told there no more')
      .argument('<routeId>', 'as `alert route list` shows it')
      .option('--tenant <id>', 'of this tenant (default: the only one)'),
    async (run, options, routeId) => {
      const { removeAlertRoute: removed } = await run<{ removeAlertRoute: boolean }>(
        'mutation($tenantId: String!, $routeId: String!) { removeAlertRoute(tenantId: $tenantId, routeId: $routeId) }',
        { tenantId: await tenantOf(run, options), routeId },
      );
      return { json: { routeId, removed }, text: `route ${routeId} is removed` };
    },
  );
}
