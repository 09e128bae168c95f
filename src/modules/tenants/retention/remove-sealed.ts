import type { TenantWithRetention } from '../../../caller/tenant.store';
import type { OwnerDoor } from '../../../database/clients';
import { HOUR_MS } from '../../../event/event-time';
import { archiveOf } from '../../../store/archive/archive';
import { leaveInRows } from '../../../store/archive/restore-week';
import { foldTenant } from '../../../store/counts/fold';
import { inTurn } from '../../../store/counts/remove-events';
import { floorOfWeek, startOfWeek } from '../../../store/rows/partitions';
import { heldNow } from '../holds/held';
import { removeCounts } from './drop-week';
import { record } from './record';
import type { RunningRetention } from './retention-store';

const EXPIRED = `
SELECT w.week FROM audit_sealed_week w WHERE w.tenant_id = $1::int AND w.first_id < $2::uuid ORDER BY w.week`;

/** Whether the retention is still the one of the run and the tenant in use, and whether the week has marked events. */
const STATE = `
SELECT EXISTS (SELECT FROM audit_clock k WHERE k.tenant_id = $1::int AND k.record_id >= $2::uuid AND k.record_id < $3::uuid)
  AS marked
FROM tenant t WHERE t.tenant_id = $1::int AND t.retention_days = $4::int AND t.disabled_at IS NULL`;

const REMOVE_ROWS = `
DELETE FROM audit_event e WHERE e.tenant_id = $1::int AND e.record_id >= $2::uuid AND e.record_id < $3::uuid`;

/** Sealed weeks of a tenant with events before a record id. */
export async function expiredWeeks(owner: OwnerDoor, tenantId: number, before: string): Promise<number[]> {
  const rows = await owner.models.$queryRawUnsafe<{ week: number }[]>(EXPIRED, tenantId, before);
  return rows.map(({ week }) => week);
}

/**
 * Removes a sealed week with its late events, where all of it has expired; else brings it back into rows, of which steps
 * remove some. There the week stays, so that it is not sealed and brought back again and again, in each run of a week.
 * @returns the number of removed events
 */
export async function removeSealedWeek(
  owner: OwnerDoor,
  tenant: TenantWithRetention,
  week: number,
  beforeMs: number,
  run: RunningRetention,
): Promise<number> {
  const { tenantId, retentionDays } = tenant;
  const [floor, end] = [floorOfWeek(week), floorOfWeek(week + 1)];
  const isOver = startOfWeek(week + 1) <= beforeMs;
  const done = await inTurn(owner, tenantId, async (tx) => {
    const held = await heldNow(tx, tenantId, run.startedAt);
    if (held === 'everything') return { removed: 0 };
    const [state] = await tx.$queryRawUnsafe<{ marked: boolean }[]>(
      STATE,
      ...[tenantId, floor, end, retentionDays],
    );
    if (!state) return { removed: 0 };
    // Steps leave what a hold keeps, and marked events, which are kept longer.
    if (held !== 'nothing' || !isOver || state.marked) return null;
    await foldTenant(tx, tenantId);
    const hours = { from: startOfWeek(week) / HOUR_MS, to: startOfWeek(week + 1) / HOUR_MS };
    const gone = await removeCounts(tx, tenantId, hours);
    await tx.$executeRawUnsafe(REMOVE_ROWS, tenantId, floor, end);
    if (gone.events > 0) await record(tx, tenant, gone, run);
    return { removed: gone.events };
  });
  if (done !== null) return done.removed;
  await archiveOf(owner)?.restore(owner, tenantId, week, (tx) => leaveInRows(tx, tenantId, week));
  return 0;
}
