import { Prisma, type Step } from '../../database/clients';
import { HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { ID_BYTES, idBytes, recordIdFloor } from '../../event/record-id';
import { LIMITS } from '../../limits';
import { LEAF_BYTES } from '../../store/log/evidence/batch-seal';
import { leafHashOf } from '../../store/log/evidence/entry';
import { DETAIL_COLUMNS, toStoredEvent } from '../../store/rows/event-rows';
import { BACKLOG_DONE, BACKLOG_ON, FOLLOWING_STEP, NEXT_BACKLOG, TILES_OF_RANGE } from './log-statements';

/**
 * Leaves of events that were stored before the log existed, limited in number and in bytes. Entries that the log already
 * has are left out. The caller has made sure that no batch of the tenant waits.
 * @returns null if there are none left
 */
export async function nextOfBacklog(step: Step, tenantId: number): Promise<Buffer | null> {
  const [next] = await step(NEXT_BACKLOG, [tenantId]);
  if (!next) return null;
  const { hour, from_id: from } = next as { hour: number; from_id: string };
  const end = recordIdFloor(BigInt((hour + 1) * HOUR_MS) * TICKS_PER_MS);
  const { events: eventsMax, bytes } = LIMITS.evidenceBackfillStep;
  const [following] = await step(FOLLOWING_STEP, [tenantId, from, end, eventsMax, bytes]);
  const { text, values } = Prisma.sql`
    SELECT ${DETAIL_COLUMNS} FROM audit_event e
    WHERE e.tenant_id = ${tenantId}::int AND e.record_id >= ${from}::uuid
      AND e.record_id < ${following?.record_id ?? end}::uuid
    ORDER BY e.record_id`;
  const events = (await step(text, values)).map(toStoredEvent);
  if (following) await step(BACKLOG_ON, [tenantId, hour, following.record_id]);
  else await step(BACKLOG_DONE, [tenantId, hour]);
  const known = await knownIds(step, tenantId, hour, [from, events.at(-1)?.recordId ?? from]);
  return Buffer.concat(
    events
      .filter(({ recordId }) => !known.has(idBytes(recordId).toString('hex')))
      .map((event) =>
        Buffer.concat([idBytes(event.recordId), Buffer.from(leafHashOf(event), 'hex')], LEAF_BYTES),
      ),
  );
}

async function knownIds(
  step: Step,
  tenantId: number,
  hour: number,
  [first, last]: readonly [string, string],
): Promise<ReadonlySet<string>> {
  const tiles = await step(TILES_OF_RANGE, [tenantId, hour, first, last]);
  const known = new Set<string>();
  for (const { record_ids } of tiles) {
    const ids = Buffer.from(record_ids as Uint8Array);
    for (let at = 0; at < ids.length; at += ID_BYTES) known.add(ids.toString('hex', at, at + ID_BYTES));
  }
  return known;
}
