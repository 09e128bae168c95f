import type { Prisma } from '../../../database/clients';
import { COMPLETED_ACTIONS, COMPLETED_SENSITIVE_ACTIONS } from '../../../event/action-names';
import { COLUMN_OF } from '../../../event/fields';
import { recordIdFloor } from '../../../event/record-id';
import { toStored } from '../../../store/rows/stored-text';
import { type About, type Entity, readAbout } from './incident-about';
import { WITHIN } from './incident-time';
import { titleOf } from './incident-title';

const LOGIN = COLUMN_OF.serverPrincipalName;
const ADDRESS = COLUMN_OF.clientIp;
const listed = (codes: readonly string[]): string => codes.map((code) => `'${code}'`).join(', ');
/** Of a server instance, records of different kinds may tell of the same rows. */
const KIND = `CASE WHEN upper(rtrim(${COLUMN_OF.actionId})) IN (${listed(COMPLETED_ACTIONS)}) THEN 1
  WHEN upper(rtrim(${COLUMN_OF.actionId})) IN (${listed(COMPLETED_SENSITIVE_ACTIONS)}) THEN 2 ELSE 0 END`;

/** The most alerts of which an incident's title and entities are made, the first ones. */
const ALERTS_MAX = 1_000;
/** The most events of a login whose rows are added up, the most logins that may have read them, and incidents at once. */
const ROWS_EVENTS_MAX = 20_000;
const ROWS_LOGINS_MAX = 20;
const ROWS_INCIDENTS_MAX = 50;

/** Makes the facts of incidents anew from their alerts, with few statements. One without alerts is empty. */
export async function putIncidents(
  tx: Prisma.TransactionClient,
  tenantId: number,
  incidentIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const incidents = await storiesOf(tx, tenantId, incidentIds);
  if (incidents.length < incidentIds.length) {
    const there = new Set(incidents.map(({ incidentId }) => incidentId));
    const gone = incidentIds.filter((id) => !there.has(id));
    const empty = {
      alertCount: 0,
      eventCount: 0n,
      rowsRead: 0n,
      rowsChanged: 0n,
      updatedAt: new Date(nowMs),
    };
    await tx.incident.updateMany({ where: { tenantId, incidentId: { in: gone } }, data: empty });
  }
  if (incidents.length === 0) return;
  const moved = await rowsOf(tx, tenantId, incidents.slice(0, ROWS_INCIDENTS_MAX));
  const rows = incidents.map((one, i) => {
    const { read, changed } = moved.get(one.incidentId) ?? NO_ROWS;
    return {
      incident_id: one.incidentId,
      number: i + 1,
      title: toStored(titleOf(one.alerts, read)),
      severity: one.severity,
      first_event: String(one.firstEvent),
      last_event: String(one.lastEvent),
      alert_count: one.alertCount,
      event_count: one.eventCount,
      rows_read: String(read),
      rows_changed: String(changed),
    };
  });
  await tx.$executeRawUnsafe(UPSERT, ...[tenantId, JSON.stringify(rows), new Date(nowMs)]);
}

const FACTS = 'title severity first_event last_event alert_count event_count rows_read rows_changed'.split(
  ' ',
);
const ROW_COLUMNS =
  'incident_id uuid, number int, title text, severity smallint, first_event bigint, last_event bigint, alert_count int, ' +
  'event_count bigint, rows_read bigint, rows_changed bigint';
/** A new incident gets the next number of its tenant. */
const UPSERT = `INSERT INTO incident AS i (tenant_id, incident_id, number, ${FACTS.join(', ')}, status, touched,
    created_at, updated_at)
  SELECT t.tenant_id, x.incident_id,
    x.number + (SELECT coalesce(max(n.number), 0) FROM incident n WHERE n.tenant_id = $1::int),
    ${FACTS.map((name) => `x.${name}`).join(', ')}, 'new', false, $3::timestamptz, $3::timestamptz
  FROM tenant t CROSS JOIN json_to_recordset($2::json) AS x(${ROW_COLUMNS}) WHERE t.tenant_id = $1::int
  ON CONFLICT (tenant_id, incident_id) DO UPDATE SET updated_at = excluded.updated_at,
    ${FACTS.map((name) => `${name} = excluded.${name}`).join(', ')}`;

interface Story {
  readonly incidentId: string;
  readonly severity: number;
  readonly firstEvent: bigint;
  readonly lastEvent: bigint;
  /** Until then, what its logins read and change counts: an alert could still join it. */
  readonly end: bigint;
  readonly alertCount: number;
  readonly eventCount: string;
  /** The first ones. */
  readonly alerts: readonly {
    readonly severity: number;
    readonly firstEvent: bigint;
    readonly about: About;
  }[];
}

interface AlertRow {
  readonly id: string;
  readonly severity: number;
  readonly first: bigint;
  readonly about: string;
  readonly worst: number;
  readonly begun: bigint;
  readonly ended: bigint;
  readonly within: bigint;
  readonly alerts: number;
  readonly events: string;
}

/** The incidents that have alerts, in the order of the ids. */
async function storiesOf(
  tx: Prisma.TransactionClient,
  tenantId: number,
  incidentIds: readonly string[],
): Promise<readonly Story[]> {
  if (incidentIds.length === 0) return [];
  const rows = await tx.$queryRawUnsafe<AlertRow[]>(
    `WITH of_all AS (SELECT * FROM alert WHERE tenant_id = $1::int AND incident_id = ANY($2::uuid[]))
     SELECT * FROM (SELECT incident_id::text AS id, severity::int AS severity, first_event AS first, about,
       (${WITHIN}) AS within, rank() OVER (PARTITION BY incident_id ORDER BY first_event, alert_id) AS n,
       (max(severity) OVER of_it)::int AS worst, min(first_event) OVER of_it AS begun, max(last_event) OVER of_it AS ended,
       (count(*) OVER of_it)::int AS alerts, (sum(event_count) OVER of_it)::text AS events
       FROM of_all WINDOW of_it AS (PARTITION BY incident_id)) a WHERE n <= ${ALERTS_MAX} ORDER BY id, n`,
    ...[tenantId, incidentIds],
  );
  const byId = new Map<string, AlertRow[]>();
  for (const row of rows) {
    const of = byId.get(row.id) ?? [];
    of.push(row);
    byId.set(row.id, of);
  }
  return incidentIds.flatMap((incidentId) => {
    const of = byId.get(incidentId);
    const [first] = of ?? [];
    if (!of || !first) return [];
    return [
      {
        incidentId,
        severity: first.worst,
        firstEvent: first.begun,
        lastEvent: first.ended,
        end: first.ended + first.within,
        alertCount: first.alerts,
        eventCount: first.events,
        alerts: of.map((row) => ({
          severity: row.severity,
          firstEvent: row.first,
          about: readAbout(row.about),
        })),
      },
    ];
  });
}

interface Rows {
  readonly read: bigint;
  readonly changed: bigint;
}
const NO_ROWS: Rows = { read: 0n, changed: 0n };
const NUMBER = "'^[0-9]{1,15}$'";

/** The rows that the logins of incidents read and changed until their end, from their addresses if these are known. */
async function rowsOf(
  tx: Prisma.TransactionClient,
  tenantId: number,
  incidents: readonly Story[],
): Promise<ReadonlyMap<string, Rows>> {
  const asked = incidents.flatMap(({ incidentId, firstEvent, end, alerts }) => {
    const namesOf = (kind: Entity['kind']) => {
      const all = alerts.flatMap(({ about }) => about.entities);
      const did = all.filter((one) => one.kind === kind && one.part === 'did');
      return [...new Set(did.map(({ name }) => toStored(name)))];
    };
    const [logins, addresses] = [namesOf('login'), namesOf('address')];
    if (logins.length > ROWS_LOGINS_MAX) return [];
    const [from, to] = [recordIdFloor(firstEvent), recordIdFloor(end + 1n)];
    return logins.map((login) => ({ id: incidentId, login, addresses, from, to }));
  });
  if (asked.length === 0) return new Map();
  const rows = await tx.$queryRawUnsafe<{ id: string; read: string; changed: string }[]>(
    `SELECT id, sum(read)::text AS read, sum(changed)::text AS changed
     FROM (SELECT id, max(read) AS read, max(changed) AS changed
     FROM (SELECT q.id, q.login, e.instance, coalesce(sum(CASE WHEN reads ~ ${NUMBER} THEN reads::bigint END), 0) AS read,
       coalesce(sum(CASE WHEN changes ~ ${NUMBER} THEN changes::bigint END), 0) AS changed
     FROM json_to_recordset($2::json) AS q(id text, login text, addresses text[], "from" uuid, "to" uuid)
     CROSS JOIN LATERAL (
       SELECT ${ADDRESS} AS address, ${COLUMN_OF.serverInstanceName} AS instance, ${KIND} AS kind, additional->>'responseRows' AS reads, additional->>'affectedRows' AS changes
       FROM audit_event WHERE tenant_id = $1::int AND ${LOGIN} = q.login AND record_id >= q."from" AND record_id < q."to"
       ORDER BY record_id LIMIT ${ROWS_EVENTS_MAX}) e
     WHERE e.address = ANY(q.addresses) OR cardinality(q.addresses) = 0
     GROUP BY q.id, q.login, e.instance, e.kind) kinds GROUP BY id, login, instance) instances GROUP BY id`,
    ...[tenantId, JSON.stringify(asked)],
  );
  return new Map(rows.map(({ id, read, changed }) => [id, { read: BigInt(read), changed: BigInt(changed) }]));
}
