import type { Prisma } from '../../../database/clients';
import { fromStored, toStored } from '../../../store/rows/stored-text';
import { type About, headOf, readAbout } from './incident-about';
import { atLeast, type Door, NO_ROWS, rowsOf, storedOf } from './incident-rows';
import { WITHIN } from './incident-time';
import { titleOf } from './incident-title';

/** The most alerts of which an incident's title and entities are made, the first ones. */
const ALERTS_MAX = 1_000;
/** The most incidents whose rows are added up in full at once. Of the others, fewer events count. */
const ROWS_INCIDENTS_MAX = 50;
const OTHERS_EVENTS_MAX = 1_000;

/**
 * Makes the facts of incidents anew from their alerts, with few statements. One without alerts is empty.
 * @param door that of the transaction, behind which weeks may lie in files
 * @param arrived logins of events that arrived
 */
export async function putIncidents(
  tx: Prisma.TransactionClient,
  tenantId: number,
  incidentIds: readonly string[],
  of: { readonly nowMs: number; readonly door?: Door | undefined; readonly arrived?: readonly string[] },
): Promise<void> {
  const { nowMs } = of;
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
  const [counted, others] = [incidents.slice(0, ROWS_INCIDENTS_MAX), incidents.slice(ROWS_INCIDENTS_MAX)];
  const few =
    others.length === 0 ? null : await rowsOf(tx, tenantId, others, { ...of, most: OTHERS_EVENTS_MAX });
  const kept = few === null ? [] : atLeast(few, await storedOf(tx, tenantId, others));
  const moved = new Map([...kept, ...(await rowsOf(tx, tenantId, counted, of))]);
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
  readonly title: string;
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
     SELECT * FROM (SELECT incident_id::text AS id, severity::int AS severity, first_event AS first, title, about,
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
          about: storedAbout(row),
        })),
      },
    ];
  });
}

/** An alert that had no incident, as one about the trail, tells of itself by its title alone. */
function storedAbout({ about, title }: AlertRow): About {
  const read = readAbout(about);
  return read.step === '' ? { ...read, step: headOf(fromStored(title)) } : read;
}
