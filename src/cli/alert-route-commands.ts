import { type Command, Option } from 'commander';
import { SEVERITIES } from '../rules/rule';
import { type OfTenant, tenantOf } from './only-tenant';
import { columnsOf } from './operations';
import { type OnService, wholeNumber } from './service-command';
import { toTable } from './table';

const COLUMNS = columnsOf('AlertRoute', 'routeId', 'name', 'kind', 'lastError');

/** `alert route create`, `list`, `remove`. */
export function addAlertRouteCommands(route: Command, onService: OnService): void {
  onService(
    route
      .command('create')
      .description('creates a route: alerts go to e-mail addresses or to a destination')
      .requiredOption('--tenant <id>', 'the tenant whose alerts are sent')
      .requiredOption('--name <name>', 'what it is for')
      .option('--email <addresses...>', 'e-mail addresses')
      .option('--destination <destinationId>', 'in place of mail; as `destination list` shows it')
      .addOption(
        new Option('--format <format>', 'for a destination (default: json)').choices(['json', 'ocsf']),
      )
      .addOption(
        new Option('--severity <severity>', 'the lowest severity that is sent (default: all)').choices([
          ...SEVERITIES,
        ]),
      )
      .option('--rule <ruleId>', 'of this rule only')
      .option(
        '--escalate-minutes <n>',
        'only of alerts that nobody has acknowledged for so many minutes',
        wholeNumber,
      ),
    async (run, { tenant, name, email, destination, format, severity, rule, escalateMinutes }: NewRoute) => {
      const made = await run(
        'createAlertRoute',
        {
          tenantId: tenant,
          name,
          emails: email ?? null,
          destinationId: destination ?? null,
          format: format ?? null,
          severity: severity ?? null,
          ruleId: rule ?? null,
          escalateMinutes: escalateMinutes ?? null,
        },
        COLUMNS,
      );
      return { json: made, text: `route ${made.routeId}` };
    },
  );
  onService(
    route
      .command('list')
      .description('lists the routes of a tenant')
      .option('--tenant <id>', 'of this tenant (default: the only one)'),
    async (run, options: OfTenant) => {
      const routes = await run('alertRoutes', { tenantId: await tenantOf(run, options) }, COLUMNS);
      return { json: routes, text: toTable(routes) };
    },
  );
  onService(
    route
      .command('remove')
      .description('removes a route: alerts are no longer sent there')
      .argument('<routeId>', 'as `alert route list` shows it')
      .option('--tenant <id>', 'of this tenant (default: the only one)'),
    async (run, options: OfTenant, routeId) => {
      const removed = await run('removeAlertRoute', { tenantId: await tenantOf(run, options), routeId });
      return { json: { routeId, removed }, text: `route ${routeId} is removed` };
    },
  );
}

interface NewRoute {
  readonly tenant: string;
  readonly name: string;
  readonly email?: readonly string[];
  readonly destination?: string;
  readonly format?: string;
  readonly severity?: string;
  readonly rule?: string;
  readonly escalateMinutes?: number;
}
