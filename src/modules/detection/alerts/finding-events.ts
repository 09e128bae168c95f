import type { Prisma } from '../../../database/clients';
import type { AuditEvent } from '../../../event/fields';
import { microsecondsOfRecordId } from '../../../event/record-id';
import type { DetectionEvent } from '../../../rules/event';
import { fromStoredJson, textOrNull } from '../../../store/rows/stored-text';
import type { OpenAlert, Placed } from './put-alerts';

/** The most records that are read for one alert of a step, and for all of them. */
const OF_ALERT_MAX = 200;
const OF_STEP_MAX = 4_000;
const STATEMENT_CHARS = 4_000;

/**
 * Reads the events of findings that are about to be written. Of many, those of the first findings of each alert. Events
 * that retention has removed are missing.
 */
export async function eventsOfFindings(
  tx: Prisma.TransactionClient,
  tenantId: number,
  alerts: readonly OpenAlert[],
): Promise<(placed: Placed) => readonly DetectionEvent[]> {
  const ids = new Set<string>();
  for (const { placed } of alerts)
    for (const id of placed.flatMap(({ finding }) => finding.recordIds).slice(0, OF_ALERT_MAX))
      if (ids.size < OF_STEP_MAX) ids.add(id);
  if (ids.size === 0) return () => [];
  const rows = await tx.$queryRawUnsafe<readonly Row[]>(
    `SELECT record_id::text AS record_id, succeeded, action_id, server_instance_name, database_name, schema_name,
       object_name, server_principal_name, host_name, client_ip, left(statement, ${STATEMENT_CHARS}) AS statement, additional
     FROM audit_event WHERE tenant_id = $1::int AND record_id = ANY($2::uuid[])`,
    ...[tenantId, [...ids]],
  );
  const byId = new Map(rows.map((row) => [row.record_id, eventOf(row)]));
  return ({ finding }) => finding.recordIds.flatMap((id) => byId.get(id) ?? []);
}

interface Row {
  readonly record_id: string;
  readonly succeeded: boolean;
  readonly action_id: string;
  readonly server_instance_name: string;
  readonly database_name: string;
  readonly schema_name: string;
  readonly object_name: string;
  readonly server_principal_name: string;
  readonly host_name: string;
  readonly client_ip: string;
  readonly statement: string;
  readonly additional: DetectionEvent['additional'];
}

function eventOf(row: Row): DetectionEvent {
  const fields: Partial<AuditEvent> = {
    recordId: row.record_id,
    succeeded: row.succeeded,
    actionId: row.action_id,
    serverInstanceName: textOrNull(row.server_instance_name),
    databaseName: textOrNull(row.database_name),
    schemaName: textOrNull(row.schema_name),
    objectName: textOrNull(row.object_name),
    serverPrincipalName: textOrNull(row.server_principal_name),
    hostName: textOrNull(row.host_name),
    clientIp: textOrNull(row.client_ip),
    statement: textOrNull(row.statement),
  };
  const { record_id: recordId } = row;
  const at = microsecondsOfRecordId(recordId);
  return { recordId, at, position: 0, fields, additional: fromStoredJson(row.additional) };
}
