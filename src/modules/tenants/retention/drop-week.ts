import type { TenantWithRetention } from '../../../caller/tenant.store';
import type { OwnerDoor, Prisma } from '../../../database/clients';
import { HOUR_MS, TICKS_PER_MS } from '../../../event/event-time';
import { recordIdFloor } from '../../../event/record-id';
import { forgetWeeks } from '../../../store/archive/forget-week';
import { takeAllTenants } from '../../../store/counts/turns';
import { detach, partitionNames, weekOfMs } from '../../../store/rows/partitions';
import { type Gone, record, together } from './record';
import type { RunningRetention, StoredWeek } from './retention-store';
import {
  COUNTED,
  HOURS_PER_DAY,
  type Hours,
  refuseIfChanged,
  refuseIfHeld,
  refuseIfHeldMeanwhile,
  refuseIfMarked,
  refuseIfNeeded,
  StillNeeded,
  tenantsIn,
  WAITING,
} from './week-tenants';

const idFloor = (ms: number) => recordIdFloor(BigInt(ms) * TICKS_PER_MS);

const FORGET_MARKED = `
DELETE FROM audit_clock WHERE tenant_id = $1::int AND record_id >= $2::uuid AND record_id < $3::uuid`;

/**
 * Drops a whole week, with all that counts it, in one transaction. A week is whole days and whole hours, so its
 * counts are just the buckets inside it: none has to be corrected.
 *
 * Removing the counts takes its time, in which readers and writers go on; detaching stops them for the moment the
 * rest takes. Nothing is folded meanwhile, so that what arrived late is still among the deltas, and is looked at then.
 */
export async function dropWeek(
  owner: OwnerDoor,
  week: StoredWeek,
  daysMax: number,
  run: RunningRetention,
): Promise<readonly TenantWithRetention[] | null> {
  const hours = { from: week.startMs / HOUR_MS, to: week.endMs / HOUR_MS };
  const range = { from: idFloor(week.startMs), to: idFloor(week.endMs) };
  try {
    return await owner.models.$transaction(
      async (tx) => {
        // One connection to each node of a distributed database, so that rows and tables can change in one transaction.
        await tx.$executeRawUnsafe(`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`);
        await tx.$executeRawUnsafe(`SET LOCAL lock_timeout = '60s'`);
        await takeAllTenants(tx);
        // Another instance may have dropped the week while this one waited for its turn.
        if (!(await partitionNames(tx)).has(week.name)) return null;
        await refuseIfNeeded(tx, hours, daysMax);
        await refuseIfMarked(tx, range, run.startedAt);
        await refuseIfHeld(tx, hours, daysMax, run.startedAt);
        const counted = await tenantsIn(tx, COUNTED, hours, daysMax);
        const gone = new Map<number, Gone[]>();
        for (const { tenantId } of counted) gone.set(tenantId, [await removeCounts(tx, tenantId, hours)]);
        await detach(tx, week.name);
        // From here on nobody reads or writes events, and every stored event is in the deltas.
        await refuseIfNeeded(tx, hours, daysMax);
        await refuseIfMarked(tx, range, run.startedAt);
        await refuseIfChanged(tx, counted, daysMax);
        const late = await tenantsIn(tx, WAITING, hours, daysMax);
        await refuseIfHeldMeanwhile(tx, [...counted, ...late], run.startedAt);
        for (const { tenantId } of late)
          gone.set(tenantId, [...(gone.get(tenantId) ?? []), await removeDeltas(tx, tenantId, hours)]);
        await tx.$executeRawUnsafe(`DROP TABLE ${week.name}`);
        const tenants = [
          ...new Map([...counted, ...late].map((tenant) => [tenant.tenantId, tenant])).values(),
        ];
        for (const tenant of tenants) {
          await tx.$executeRawUnsafe(FORGET_MARKED, tenant.tenantId, range.from, range.to);
          const all = together(gone.get(tenant.tenantId) ?? []);
          if (all) await record(tx, tenant, all, run, [week.name]);
        }
        return tenants;
      },
      { timeout: 3_600_000, maxWait: 60_000 },
    );
  } catch (error) {
    if (error instanceof StillNeeded) return null;
    throw error;
  }
}

/** Removes the counts, the search index and the file of a tenant's week. */
export async function removeCounts(
  tx: Prisma.TransactionClient,
  tenantId: number,
  { from, to }: Hours,
): Promise<Gone> {
  for (const table of ['audit_segment', 'audit_word', 'audit_unindexed']) {
    const statement = `DELETE FROM ${table} WHERE tenant_id = $1::int AND hour >= $2::int AND hour < $3::int`;
    await tx.$executeRawUnsafe(statement, tenantId, from, to);
  }
  await forgetWeeks(tx, tenantId, { from: weekOfMs(from * HOUR_MS), to: weekOfMs(to * HOUR_MS) });
  return goneOf(
    await tx.$queryRawUnsafe<GoneRow[]>(
      `WITH gone AS (
         DELETE FROM audit_count c WHERE c.tenant_id = $1::int
           AND ((c.grain = 1 AND c.bucket >= $2::int AND c.bucket < $3::int)
             OR (c.grain = 2 AND c.bucket >= $2::int / ${HOURS_PER_DAY} AND c.bucket < $3::int / ${HOURS_PER_DAY}))
         RETURNING c.grain, c.a, c.d, c.p, c.bucket, c.n)
       SELECT coalesce(sum(n), 0)::float8 AS events, min(bucket) AS first, max(bucket) AS last
       FROM gone WHERE grain = 1 AND a = 0 AND d = 0 AND p = 0`,
      tenantId,
      from,
      to,
    ),
  );
}

async function removeDeltas(
  tx: Prisma.TransactionClient,
  tenantId: number,
  { from, to }: Hours,
): Promise<Gone> {
  return goneOf(
    await tx.$queryRawUnsafe<GoneRow[]>(
      `WITH gone AS (
         DELETE FROM audit_delta x WHERE x.tenant_id = $1::int AND x.hour >= $2::int AND x.hour < $3::int
         RETURNING x.hour, x.n)
       SELECT coalesce(sum(n), 0)::float8 AS events, min(hour) AS first, max(hour) AS last FROM gone`,
      tenantId,
      from,
      to,
    ),
  );
}

interface GoneRow {
  readonly events: number;
  readonly first: number | null;
  readonly last: number | null;
}
const goneOf = ([row]: readonly GoneRow[]): Gone => ({
  events: row?.events ?? 0,
  firstHour: row?.first ?? 0,
  lastHour: row?.last ?? 0,
});
