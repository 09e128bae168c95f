import type { TenantWithRetention } from '../../../caller/tenant.store';
import { type OwnerDoor, Prisma } from '../../../database/clients';
import { TICKS_PER_MS } from '../../../event/event-time';
import { recordIdFloor } from '../../../event/record-id';
import { LIMITS } from '../../../limits';
import { inTurn, type RemovedDelta, removing, settleRemoval } from '../../../store/counts/remove-events';
import { freeSql, type Held, heldNow } from '../holds/held';
import { record, together } from './record';
import type { RemovalStep, RunningRetention } from './retention-store';

/** SQL: the events that retention counts from their arrival, because their time cannot be right. */
const IS_MARKED = `EXISTS (
    SELECT FROM audit_clock k WHERE k.tenant_id = $1::int AND k.record_id = e.record_id)`;

/**
 * The end of a step: the record after its last one, or nothing. It checks in the tenant's row that the retention is
 * still the one with which the run began, and that the tenant is in use.
 */
const END = `
SELECT t.tenant_id, (SELECT e.record_id::text FROM audit_event e
    WHERE e.tenant_id = $1::int AND e.record_id >= $2::uuid AND e.record_id < $3::uuid AND NOT ${IS_MARKED}
    ORDER BY e.record_id OFFSET ${LIMITS.retentionStepEvents} LIMIT 1) AS next
FROM tenant t WHERE t.tenant_id = $1::int AND t.retention_days = $4::int AND t.disabled_at IS NULL`;

/** The marked events of a step: those that came first. It checks the retention as `END` does. */
const EXPIRED_MARKED = `
SELECT k.record_id::text AS id FROM tenant t JOIN audit_clock k ON k.tenant_id = t.tenant_id
WHERE t.tenant_id = $1::int AND k.tenant_id = $1::int AND k.received_at < $2::timestamptz AND t.retention_days = $3::int
  AND t.disabled_at IS NULL
ORDER BY k.received_at, k.record_id LIMIT ${LIMITS.retentionStepEvents}`;

/** Those of the events of a stretch that no hold keeps. */
const freeOf = (tenantId: number, from: string, to: string, held: Held) => Prisma.sql`
SELECT e.record_id::text AS id FROM audit_event e
WHERE e.tenant_id = ${tenantId}::int AND e.record_id >= ${from}::uuid AND e.record_id < ${to}::uuid
  AND ${freeSql(held)} AND NOT EXISTS (
    SELECT FROM audit_clock k WHERE k.tenant_id = ${tenantId}::int AND k.record_id = e.record_id)`;

/** As `EXPIRED_MARKED`, without the held ones: more marked events than a step takes may be held. */
const freeMarked = (tenantId: number, before: Date, retentionDays: number, held: Held) => Prisma.sql`
SELECT k.record_id::text AS id FROM tenant t JOIN audit_clock k ON k.tenant_id = t.tenant_id
WHERE t.tenant_id = ${tenantId}::int AND k.tenant_id = ${tenantId}::int AND k.received_at < ${before}::timestamptz
  AND t.retention_days = ${retentionDays}::int AND t.disabled_at IS NULL AND NOT EXISTS (
    SELECT FROM audit_event e
    WHERE e.tenant_id = ${tenantId}::int AND e.record_id = k.record_id AND NOT ${freeSql(held)})
ORDER BY k.received_at, k.record_id LIMIT ${LIMITS.retentionStepEvents}::int`;

const FORGET_MARKED = `
DELETE FROM audit_clock WHERE tenant_id = $1::int AND record_id = ANY(string_to_array($2::text, ',')::uuid[])`;

const REMOVE = removing(`e.record_id >= $2::uuid AND e.record_id < $3::uuid AND NOT ${IS_MARKED}`);
const REMOVE_BY_IDS = removing(`e.record_id = ANY(string_to_array($2::text, ',')::uuid[])`);

interface Id {
  readonly id: string;
}
/** As one text: the driver takes longer to write an array. */
const textOf = (ids: readonly Id[]) => ids.map(({ id }) => id).join();

/**
 * Removes a tenant's oldest expired events that no hold keeps. The transaction ends with folding, so no other
 * transaction sees a negative delta, and every count equals the number of existing events.
 */
export function removeStep(
  owner: OwnerDoor,
  tenant: TenantWithRetention,
  range: { readonly from: string; readonly beforeMs: number },
  run: RunningRetention,
): Promise<RemovalStep> {
  const { tenantId, retentionDays } = tenant;
  const before = recordIdFloor(BigInt(range.beforeMs) * TICKS_PER_MS);
  return inTurn(owner, tenantId, async (tx) => {
    const held = await heldNow(tx, tenantId, run.startedAt);
    if (held === 'everything') return { removed: 0, next: null };
    const [end] = await tx.$queryRawUnsafe<{ next: string | null }[]>(
      END,
      tenantId,
      range.from,
      before,
      retentionDays,
    );
    if (!end) return { removed: 0, next: null };
    const to = end.next ?? before;
    const deltas =
      held === 'nothing'
        ? await tx.$queryRawUnsafe<RemovedDelta[]>(REMOVE, tenantId, range.from, to)
        : await removeByIds(tx, tenantId, await tx.$queryRaw<Id[]>(freeOf(tenantId, range.from, to, held)));
    return { removed: await settle(tx, tenant, deltas, run), next: end.next };
  });
}

const removeByIds = async (tx: Prisma.TransactionClient, tenantId: number, ids: readonly Id[]) =>
  ids.length === 0 ? [] : tx.$queryRawUnsafe<RemovedDelta[]>(REMOVE_BY_IDS, tenantId, textOf(ids));

/** Removes marked events of a tenant that came before a time. @returns the number; 0: nothing is left */
export function removeMarkedStep(
  owner: OwnerDoor,
  tenant: TenantWithRetention,
  beforeMs: number,
  run: RunningRetention,
): Promise<number> {
  const { tenantId, retentionDays } = tenant;
  return inTurn(owner, tenantId, async (tx) => {
    const held = await heldNow(tx, tenantId, run.startedAt);
    if (held === 'everything') return 0;
    const before = new Date(beforeMs);
    const found =
      held === 'nothing'
        ? await tx.$queryRawUnsafe<Id[]>(EXPIRED_MARKED, tenantId, before, retentionDays)
        : await tx.$queryRaw<Id[]>(freeMarked(tenantId, before, retentionDays, held));
    if (found.length === 0) return 0;
    const deltas = await removeByIds(tx, tenantId, found);
    await tx.$executeRawUnsafe(FORGET_MARKED, tenantId, textOf(found));
    return settle(tx, tenant, deltas, { ...run, isByArrival: true });
  });
}

/** Brings counts, index and the run's record to what is left. @returns the number of removed events */
async function settle(
  tx: Prisma.TransactionClient,
  tenant: TenantWithRetention,
  deltas: readonly RemovedDelta[],
  run: RunningRetention,
): Promise<number> {
  const { tenantId } = tenant;
  const gone = together(deltas.map(({ hour, n }) => ({ events: -n, firstHour: hour, lastHour: hour })));
  if (!gone) return 0;
  await settleRemoval(tx, tenantId, deltas);
  await record(tx, tenant, gone, run);
  return gone.events;
}
