import type { Prisma } from '../../../database/clients';
import { ticksOfRecordId } from '../../../event/record-id';
import { type Arrived, toDetectionEvent } from '../../../rules/arrived';
import { loginOf } from '../../../rules/event-values';
import { linkOf } from './incident-about';
import type { Door } from './incident-rows';
import { WITHIN } from './incident-time';
import { byTime } from './put-alerts';
import { putIncidents } from './put-incidents';

/** The most incidents to which the events of a step may add rows, the newest. */
const INCIDENTS_MAX = 50;

/**
 * Adds what the events of a step read and changed to the incidents whose logins did it before the incident's end, in the
 * transaction of the step. The numbers are made anew of all events that are stored. So they depend neither on where a
 * step ends nor on a step that is done again.
 */
export async function growIncidents(
  tx: Prisma.TransactionClient,
  tenantId: number,
  arrived: readonly Arrived[],
  nowMs: number,
  door?: Door,
): Promise<void> {
  if (arrived.length === 0) return;
  const times = arrived.map(({ recordId }) => ticksOfRecordId(recordId)).sort(byTime);
  const open = await tx.$queryRawUnsafe<{ id: string; links: readonly string[] }[]>(
    `SELECT i.incident_id::text AS id, coalesce(array_agg(DISTINCT l.link), '{}') AS links FROM (
       SELECT * FROM incident WHERE tenant_id = $1::int AND status <> 'resolved' AND alert_count > 0
         AND first_event <= $3::bigint AND last_event + (${WITHIN}) >= $2::bigint
       ORDER BY last_event DESC, incident_id LIMIT ${INCIDENTS_MAX}) i
     JOIN alert a ON a.tenant_id = $1::int AND a.incident_id = i.incident_id
     CROSS JOIN LATERAL unnest(a.links) AS l(link) GROUP BY i.incident_id ORDER BY i.incident_id`,
    ...[tenantId, times[0], times.at(-1)],
  );
  if (open.length === 0) return;
  const doing = new Set<string>();
  for (const one of arrived) {
    const event = toDetectionEvent(one);
    const { responseRows, affectedRows } = event.additional;
    const name = Number(responseRows) > 0 || Number(affectedRows) > 0 ? loginOf(event) : undefined;
    if (name !== undefined) doing.add(linkOf({ kind: 'login', name }));
  }
  const grown = open.filter(({ links }) => links.some((link) => doing.has(link))).map(({ id }) => id);
  if (grown.length > 0) await putIncidents(tx, tenantId, grown, { nowMs, door });
}
