import type { Prisma } from '../../../database/clients';
import { ticksOfRecordId } from '../../../event/record-id';
import { type Arrived, toDetectionEvent } from '../../../rules/arrived';
import { loginOf } from '../../../rules/event-values';
import { linkOf } from './incident-about';
import type { Door } from './incident-rows';
import { WITHIN } from './incident-time';
import { byTime } from './put-alerts';
import { putIncidents } from './put-incidents';

/** The most incidents to which the events of a step add rows, the newest. */
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
  const doing = new Map<string, Set<string>>();
  for (const one of arrived) {
    const event = toDetectionEvent(one);
    const { responseRows, affectedRows } = event.additional;
    const name = Number(responseRows) > 0 || Number(affectedRows) > 0 ? loginOf(event) : undefined;
    if (name === undefined) continue;
    const link = linkOf({ kind: 'login', name });
    doing.set(link, (doing.get(link) ?? new Set()).add(name));
  }
  if (doing.size === 0) return;
  const times = arrived.map(({ recordId }) => ticksOfRecordId(recordId)).sort(byTime);
  const grown = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT i.incident_id::text AS id FROM incident i
     WHERE i.tenant_id = $1::int AND i.status <> 'resolved' AND i.alert_count > 0
       AND i.first_event <= $3::bigint AND i.last_event + (${WITHIN}) >= $2::bigint
       AND EXISTS (SELECT FROM alert a
         WHERE a.tenant_id = $1::int AND a.incident_id = i.incident_id AND a.links && $4::text[])
     ORDER BY i.last_event DESC, i.incident_id LIMIT ${INCIDENTS_MAX}`,
    ...[tenantId, times[0], times.at(-1), [...doing.keys()]],
  );
  const ids = grown.map(({ id }) => id).sort();
  const names = [...doing.values()].flatMap((spellings) => [...spellings]);
  if (ids.length > 0) await putIncidents(tx, tenantId, ids, { nowMs, door, arrived: names });
}
