import type { TenantWithRetention } from '../../../caller/tenant.store';
import type { OwnerDb, Prisma } from '../../../database/clients';
import { TICKS_PER_MS } from '../../../event/event-time';
import { recordIdFloor } from '../../../event/record-id';
import { LIMITS } from '../../../limits';
import { COUNTED_BY_INSTANCE } from '../../../trail/counts/by-instance';
import { COUNTED_COLUMNS } from '../../../trail/counts/dimensions';
import { foldTenant } from '../../../trail/counts/fold';
import { hourOf } from '../../../trail/counts/scope';
import { takeTenant } from '../../../trail/counts/turns';
import { record, together } from './record';
import type { RemovalStep, RunningRetention } from './retention-store';

/** Indexing the hours of a busy tenant may take a while, and nobody else waits behind this step. */
const TURN_WAIT = '60s';

/**
 * The end of a step: the record after its last one, or nothing. It checks in the tenant's row that the retention is
 * still the one with which the run began.
 */
const END = `
SELECT t.tenant_id, (SELECT e.record_id::text FROM audit_event e
    WHERE e.tenant_id = $1::int AND e.record_id >= $2::uuid AND e.record_id < $3::uuid
    ORDER BY e.record_id OFFSET ${LIMITS.retentionStepEvents} LIMIT 1) AS next
FROM tenant t WHERE t.tenant_id = $1::int AND t.retention_days = $4::int`;

/** The same statement takes the deleted events off the counts, with deltas like those of stored events. */
const REMOVE = `
WITH gone AS (
  DELETE FROM audit_event e WHERE e.tenant_id = $1::int AND e.record_id >= $2::uuid AND e.record_id < $3::uuid
  RETURNING e.record_id, ${COUNTED_COLUMNS}, e.succeeded),
less AS (
  INSERT INTO audit_delta (tenant_id, hour, ${COUNTED_COLUMNS}, n, ok)
  SELECT t.tenant_id, ${hourOf('g.record_id')}, ${COUNTED_COLUMNS}, -count(*), -count(*) FILTER (WHERE g.succeeded)
  FROM tenant t CROSS JOIN gone g WHERE t.tenant_id = $1::int GROUP BY 1, 2, ${COUNTED_COLUMNS}
  RETURNING hour, n)
SELECT hour, n FROM less`;

/** A segment counts as right while its count is right, but other events could make the count equal again. */
const UNINDEX = ['audit_segment', 'audit_word'].map(
  (table) => `DELETE FROM ${table} WHERE tenant_id = $1::int AND hour = ANY($2::int[])`,
);
/**
 * For a day with counts, the row that says how many are by instance stays. Without it, the day has no counts by
 * instance.
 */
const CLEAR_EMPTY = `
DELETE FROM audit_count c WHERE c.tenant_id = $1::int AND c.n = 0 AND NOT (c.a = ${COUNTED_BY_INSTANCE} AND EXISTS (
  SELECT FROM audit_count t WHERE t.tenant_id = $1::int AND t.grain = c.grain AND t.a = 0 AND t.d = 0 AND t.p = 0
    AND t.bucket = c.bucket AND t.n <> 0))`;

/**
 * Removes a tenant's oldest expired events. The transaction ends with folding, so no other transaction sees a negative
 * delta, and every count equals the number of existing events.
 */
export function removeStep(
  prisma: OwnerDb,
  tenant: TenantWithRetention,
  range: { readonly from: string; readonly beforeMs: number },
  run: RunningRetention,
): Promise<RemovalStep> {
  const { tenantId, retentionDays } = tenant;
  const before = recordIdFloor(BigInt(range.beforeMs) * TICKS_PER_MS);
  return prisma.$transaction(
    async (tx) => {
      await tx.$executeRawUnsafe(`SET LOCAL lock_timeout = '${TURN_WAIT}'`);
      await takeTenant(tx, tenantId);
      const [end] = await tx.$queryRawUnsafe<{ next: string | null }[]>(
        END,
        tenantId,
        range.from,
        before,
        retentionDays,
      );
      if (!end) return { removed: 0, next: null };
      const removed = await remove(tx, tenant, { from: range.from, to: end.next ?? before }, run);
      return { removed, next: end.next };
    },
    { timeout: 180_000, maxWait: 60_000 },
  );
}

async function remove(
  tx: Prisma.TransactionClient,
  tenant: TenantWithRetention,
  { from, to }: { readonly from: string; readonly to: string },
  run: RunningRetention,
): Promise<number> {
  const { tenantId } = tenant;
  const deltas = await tx.$queryRawUnsafe<{ hour: number; n: number }[]>(REMOVE, tenantId, from, to);
  const gone = together(deltas.map(({ hour, n }) => ({ events: -n, firstHour: hour, lastHour: hour })));
  if (!gone) return 0;
  await foldTenant(tx, tenantId);
  await tx.$executeRawUnsafe(CLEAR_EMPTY, tenantId);
  const hours = [...new Set(deltas.map(({ hour }) => hour))];
  for (const statement of UNINDEX) await tx.$executeRawUnsafe(statement, tenantId, hours);
  await record(tx, tenant, gone, run);
  return gone.events;
}
