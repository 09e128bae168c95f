import { type Command, Option } from 'commander';
import type { Incident, IncidentChange, IncidentListItem } from '../generated/operations';
import { STATUS } from '../modules/detection/base/answers';
import { SEVERITIES } from '../rules/rule';
import type { OfTenant } from './only-tenant';
import { columnsOf } from './operations';
import { CommandError } from './service-client';
import { type OnService, wholeNumber } from './service-command';
import { cell, inOrder, toTable } from './table';

const LIMIT_DEFAULT = 50;
/** Those of alerts, but nobody suppresses an incident. */
const STATES = Object.keys(STATUS.values).filter((status) => status !== 'suppressed');
const COLUMNS = columnsOf(
  'IncidentListItem',
  ...(['incidentId', 'severity', 'status', 'tenantId', 'alertCount', 'rowsRead'] as const),
);

/** `incident list`, `show`. */
export function addIncidentCommands(incident: Command, onService: OnService): void {
  onService(
    incident
      .command('list')
      .description('lists incidents, newest first')
      .option('--tenant <id>', 'of this tenant only')
      .addOption(new Option('--status <status>', 'in this state').choices(STATES))
      .addOption(new Option('--severity <severity>', 'of this severity').choices([...SEVERITIES]))
      .option('--limit <n>', `incidents (default: ${LIMIT_DEFAULT})`, wholeNumber),
    async (run, { tenant, status, severity, limit }: Wanted) => {
      const given = {
        tenantId: tenant ?? null,
        status: status ?? null,
        severity: severity ?? null,
        pageSize: limit ?? LIMIT_DEFAULT,
      };
      const { items } = await run('tenantIncidents', given, ['items']);
      const incidents = items.map(inOrder(COLUMNS));
      return { json: incidents, text: toTable(incidents.map(toRow)) };
    },
  );
  onService(
    incident
      .command('show')
      .description('shows an incident: its timeline, who took part, its alerts and changes')
      .argument('<incidentId>'),
    async (run, _options, incidentId) => {
      const found = await run('tenantIncident', { incidentId });
      if (!found) throw new CommandError('There is no such incident.', 'not_found');
      const changes = await run('incidentChanges', { incidentId });
      return { json: { ...found, changes }, text: textOf(found, changes) };
    },
  );
}

interface Wanted extends OfTenant {
  readonly status?: string;
  readonly severity?: string;
  readonly limit?: number;
}

function textOf(found: Incident, changes: readonly IncidentChange[]): string {
  const { entities, alerts, timeline, unrecorded, ...facts } = found;
  const lines = Object.entries(facts).map(([name, value]) => `${name}: ${cell(value)}`);
  const tables = [timeline, entities, unrecorded, alerts, changes.map(toChangeRow)];
  return [lines.join('\n'), ...tables.filter(({ length }) => length > 0).map((rows) => toTable(rows))].join(
    '\n\n',
  );
}

/** The title is the longest, so it comes last. */
const toRow = ({ title, ...incident }: IncidentListItem) => ({ ...incident, title });
const toChangeRow = ({ changeId: _, ...row }: IncidentChange) => row;
