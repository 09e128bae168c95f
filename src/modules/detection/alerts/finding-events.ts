import type { Prisma } from '../../../database/clients';
import { type AuditEvent, COLUMN_OF, type FieldName } from '../../../event/fields';
import { microsecondsOfRecordId } from '../../../event/record-id';
import type { DetectionEvent } from '../../../rules/event';
import { fromStoredJson, textOrNull } from '../../../store/rows/stored-text';
import { type Door, ofFiles, sealedFor } from './incident-rows';
import type { OpenAlert, Placed } from './put-alerts';

/** The most records that are read for one alert of a step, and for all of them. */
const OF_ALERT_MAX = 250;
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
  door?: Door,
): Promise<(placed: Placed) => readonly DetectionEvent[]> {
  const ids = new Set<string>();
  for (const { placed } of alerts)
    for (const id of placed.flatMap(({ finding }) => finding.recordIds).slice(0, OF_ALERT_MAX))
      if (ids.size < OF_STEP_MAX) ids.add(id);
  if (ids.size === 0) return () => [];
  const rows = await tx.$queryRawUnsafe<readonly Row[]>(
    `SELECT ${COLUMNS} FROM audit_event WHERE tenant_id = $1::int AND record_id = ANY($2::uuid[])`,
    ...[tenantId, [...ids]],
  );
  const there = new Set(rows.map(({ id }) => id));
  const sealed = sealedFor(door, tx);
  const missing = [...ids].filter((id) => !there.has(id));
  const inFiles = sealed ? await ofFiles(() => sealed.wholeRows(tenantId, missing), []) : [];
  const byId = new Map([...rows, ...inFiles.map(ofFile)].map((row) => [row.id, eventOf(row)]));
  return ({ finding }) => finding.recordIds.flatMap((id) => byId.get(id) ?? []);
}

/** The fields by which deeds, entities and steps of an incident are told. */
const TEXTS = [
  'actionId',
  'serverInstanceName',
  'databaseName',
  'schemaName',
  'objectName',
  'serverPrincipalName',
  'hostName',
  'clientIp',
] as const satisfies readonly FieldName[];
const COLUMNS = [
  'record_id::text AS id',
  COLUMN_OF.succeeded,
  ...TEXTS.map((name) => COLUMN_OF[name]),
  `left(${COLUMN_OF.statement}, ${STATEMENT_CHARS}) AS ${COLUMN_OF.statement}`,
  'additional',
].join(', ');
type Row = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly additional: DetectionEvent['additional'];
};

const ofFile = (row: Readonly<Record<string, unknown>>): Row => ({
  ...row,
  id: String(row.record_id),
  additional: row.additional as Row['additional'],
  statement: String(row.statement).slice(0, STATEMENT_CHARS),
});

function eventOf(row: Row): DetectionEvent {
  const { id: recordId } = row;
  const textOf = (name: FieldName) => textOrNull(String(row[COLUMN_OF[name]]));
  const fields: Partial<AuditEvent> = {
    ...Object.fromEntries(TEXTS.map((name) => [name, textOf(name)])),
    recordId,
    succeeded: row[COLUMN_OF.succeeded] === true,
    statement: textOf('statement'),
  };
  const at = microsecondsOfRecordId(recordId);
  return { recordId, at, position: 0, fields, additional: fromStoredJson(row.additional) };
}
