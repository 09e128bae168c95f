import type { TenantWithRetention } from '../../../caller/tenant.store';
import type { Prisma } from '../../../database/clients';
import { awaitHolds, tenantsHolding } from '../holds/held';

export const HOURS_PER_DAY = 24;

/** A week, in hours since 1970, half-open. */
export interface Hours {
  readonly from: number;
  readonly to: number;
}

/** Rolls the transaction back, because a tenant needs the week. */
export class StillNeeded extends Error {}

/** The two sources of a tenant's events in a week: counts by day, and deltas that are not folded yet. */
export const COUNTED = `SELECT c.n FROM audit_count c WHERE c.tenant_id = t.tenant_id AND c.grain = 2 AND c.a = 0 AND c.d = 0
  AND c.p = 0 AND c.bucket >= $1::int / ${HOURS_PER_DAY} AND c.bucket < $2::int / ${HOURS_PER_DAY} LIMIT 1`;
export const WAITING = `SELECT x.n FROM audit_delta x WHERE x.tenant_id = t.tenant_id AND x.hour >= $1::int AND x.hour < $2::int
  LIMIT 1`;

/** The tenants that keep their events for `daysMax` days or less and have events in these hours. */
export function tenantsIn(
  tx: Prisma.TransactionClient,
  place: string,
  { from, to }: Hours,
  daysMax: number,
): Promise<TenantWithRetention[]> {
  return tx.$queryRawUnsafe<TenantWithRetention[]>(
    `SELECT t.tenant_id AS "tenantId", t.retention_days AS "retentionDays"
     FROM tenant t CROSS JOIN LATERAL (${place}) s WHERE t.retention_days <= $3::int ORDER BY t.tenant_id`,
    from,
    to,
    daysMax,
  );
}

/** @throws StillNeeded if a tenant that keeps its events longer, or is disabled, has events in these hours */
export async function refuseIfNeeded(tx: Prisma.TransactionClient, { from, to }: Hours, daysMax: number) {
  for (const place of [COUNTED, WAITING]) {
    const needing = await tx.$queryRawUnsafe<unknown[]>(
      `SELECT t.tenant_id FROM tenant t CROSS JOIN LATERAL (${place}) s
       WHERE t.retention_days IS NULL OR t.retention_days > $3::int OR t.disabled_at IS NOT NULL LIMIT 1`,
      from,
      to,
      daysMax,
    );
    if (needing.length > 0) throw new StillNeeded();
  }
}

/**
 * Marked events are kept for a tenant's days from their arrival.
 * @param range record ids @throws StillNeeded if a tenant still keeps a marked event of the range
 */
export async function refuseIfMarked(
  tx: Prisma.TransactionClient,
  range: { readonly from: string; readonly to: string },
  now: Date,
) {
  const kept = await tx.$queryRawUnsafe<unknown[]>(
    `SELECT t.tenant_id FROM tenant t CROSS JOIN LATERAL (
       SELECT k.received_at FROM audit_clock k WHERE k.tenant_id = t.tenant_id AND k.record_id >= $1::uuid
         AND k.record_id < $2::uuid ORDER BY k.received_at DESC LIMIT 1) s
     WHERE s.received_at >= $3::timestamptz - make_interval(hours => 24 * t.retention_days) LIMIT 1`,
    range.from,
    range.to,
    now,
  );
  if (kept.length > 0) throw new StillNeeded();
}

/** @throws StillNeeded if the retention of a tenant has become longer meanwhile, or it was disabled */
export async function refuseIfChanged(
  tx: Prisma.TransactionClient,
  tenants: readonly TenantWithRetention[],
  daysMax: number,
) {
  const changed = await tx.$queryRawUnsafe<unknown[]>(
    `SELECT t.tenant_id FROM tenant t
     WHERE t.tenant_id = ANY($1::int[]) AND (t.retention_days IS NULL OR t.retention_days > $2::int OR t.disabled_at IS NOT NULL)
     LIMIT 1`,
    tenants.map(({ tenantId }) => tenantId),
    daysMax,
  );
  if (changed.length > 0) throw new StillNeeded();
}

/**
 * Steps remove the events of a tenant with holds, and leave those that are held.
 * @throws StillNeeded if a tenant with a hold in force has events in these hours
 */
export async function refuseIfHeld(tx: Prisma.TransactionClient, hours: Hours, daysMax: number, now: Date) {
  const holding = new Set(await tenantsHolding(tx, now));
  if (holding.size === 0) return;
  for (const place of [COUNTED, WAITING])
    if ((await tenantsIn(tx, place, hours, daysMax)).some(({ tenantId }) => holding.has(tenantId)))
      throw new StillNeeded();
}

/**
 * A hold that is made from now on waits for the end of the transaction.
 * @throws StillNeeded if one of the tenants has a hold in force
 */
export async function refuseIfHeldMeanwhile(
  tx: Prisma.TransactionClient,
  tenants: readonly TenantWithRetention[],
  now: Date,
) {
  await awaitHolds(tx);
  const holding = new Set(await tenantsHolding(tx, now));
  if (tenants.some(({ tenantId }) => holding.has(tenantId))) throw new StillNeeded();
}
