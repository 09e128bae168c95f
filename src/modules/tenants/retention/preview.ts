import type { Prisma } from '../../../database/clients';
import { HOUR_MS, TICKS_PER_MS } from '../../../event/event-time';
import { toSummaryFilter } from '../../../event/query';
import { recordIdFloor } from '../../../event/record-id';
import type { SealedWeeks } from '../../../store/archive/archive';
import { HOURS_PER_DAY } from '../../../store/counts/dimensions';

/** The events of a tenant that a retention would remove. */
export interface RetentionPreview {
  readonly before: Date;
  readonly events: number;
  /** The number of events that stay. */
  readonly kept: number;
}

/** The filter that lets every event through. */
export const EVERY = toSummaryFilter({ startTime: undefined, endTime: undefined, filter: undefined });
const ALL_TOGETHER = { windowMs: null, fields: [] } as const;

/**
 * Counts in one snapshot: whole days and hours from the counts, unfolded events from the deltas, and the hour of
 * `beforeMs` from the events, in rows and files. Marked events count by their arrival.
 */
export async function previewOf(
  tx: Prisma.TransactionClient,
  tenantId: number,
  beforeMs: number,
  sealed: SealedWeeks | null,
): Promise<RetentionPreview> {
  const hour = Math.floor(beforeMs / HOUR_MS);
  const day = Math.floor(hour / HOURS_PER_DAY);
  const floorAt = (ms: number) => recordIdFloor(BigInt(ms) * TICKS_PER_MS);
  const [row] = await tx.$queryRawUnsafe<{ gone: number; total: number }[]>(
    `WITH counted AS (
       SELECT c.grain, c.bucket, c.n FROM audit_count c
       WHERE c.tenant_id = $1::int AND c.a = 0 AND c.d = 0 AND c.p = 0
         AND (c.grain = 2 OR (c.grain = 1 AND c.bucket >= $2::int * ${HOURS_PER_DAY} AND c.bucket < $3::int))),
     waiting AS (SELECT x.hour, x.n FROM audit_delta x WHERE x.tenant_id = $1::int)
     SELECT (coalesce((SELECT sum(n) FROM counted WHERE grain = 1 OR bucket < $2::int), 0)
         + coalesce((SELECT sum(n) FROM waiting WHERE hour < $3::int), 0)
         + (SELECT count(*) FROM audit_event e WHERE e.tenant_id = $1::int
             AND e.record_id >= $4::uuid AND e.record_id < $5::uuid)
         + (SELECT count(*) FILTER (WHERE k.record_id >= $5::uuid AND k.received_at < $6::timestamptz)
             - count(*) FILTER (WHERE k.record_id < $5::uuid AND k.received_at >= $6::timestamptz)
           FROM audit_clock k WHERE k.tenant_id = $1::int))::float8 AS gone,
       (coalesce((SELECT sum(n) FROM counted WHERE grain = 2), 0)
         + coalesce((SELECT sum(n) FROM waiting), 0))::float8 AS total`,
    tenantId,
    day,
    hour,
    floorAt(hour * HOUR_MS),
    floorAt(beforeMs),
    new Date(beforeMs),
  );
  const { gone: inRows = 0, total = 0 } = row ?? {};
  const cut = { from: floorAt(hour * HOUR_MS), to: floorAt(beforeMs) };
  const inFiles = cut.from === cut.to ? [] : await sealed?.groups(tenantId, EVERY, [cut], ALL_TOGETHER);
  const gone = (inFiles ?? []).reduce((sum, { n }) => sum + Number(n), inRows);
  return { before: new Date(beforeMs), events: gone, kept: total - gone };
}
