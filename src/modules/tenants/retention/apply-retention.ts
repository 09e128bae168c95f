import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { TenantWithRetention } from '../../../caller/tenant.store';
import { DAY_MS } from '../../../event/event-time';
import { floorOfWeek, startOfWeek } from '../../../store/rows/partitions';
import type { RetentionStore, RunningRetention, StoredWeek } from './retention-store';

const FIRST_RECORD = '00000000-0000-0000-0000-000000000000';
/** A bucket that is away fails for every week, after a long wait each time. */
const FAILED_WEEKS_MAX = 3;

/** The parts that a run needs. */
interface RetentionParts {
  readonly store: RetentionStore;
  readonly nowMs: () => number;
  readonly log: Logger;
  /** Whether the run ends after its current step. */
  readonly isStopped?: () => boolean;
}

/**
 * Removes the events whose retention has ended. A week that no tenant needs is dropped as a whole. In other weeks, each
 * tenant's part is removed in small steps. Several instances may run at once and take turns for each week and step.
 */
export async function applyRetention({
  store,
  nowMs,
  log,
  isStopped = () => false,
}: RetentionParts): Promise<void> {
  const tenants = await store.tenantsWithRetention();
  if (tenants.length === 0) return;
  const atMs = nowMs();
  const run = { runId: randomUUID(), startedAt: new Date(atMs), now: () => new Date(nowMs()) };
  const ofMarked = { ...run, runId: randomUUID() };
  const touched = new Set<number>();
  for (const week of await store.weeks()) {
    if (isStopped()) return;
    const dropped = await attempt(log, { week: week.name }, () => dropIfExpired(store, week, atMs, run));
    if (dropped) log.info({ week: week.name }, 'retention dropped a week');
    for (const { tenantId } of dropped ?? []) touched.add(tenantId);
  }
  for (const tenant of tenants) {
    const { tenantId } = tenant;
    const removed = await attempt(log, { tenantId }, async () => {
      const expired = await removeExpired({ store, log, isStopped }, tenant, run);
      return expired + (await removeMarked(store, tenant, ofMarked, isStopped));
    });
    if (!removed) continue;
    log.info({ tenantId, removed }, 'retention removed events');
    touched.add(tenantId);
  }
  for (const tenantId of touched) await attempt(log, { tenantId }, () => store.forgetValues(tenantId));
}

/** @returns the tenants that had events in the week; null if the week stays */
async function dropIfExpired(store: RetentionStore, week: StoredWeek, atMs: number, run: RunningRetention) {
  const daysMax = Math.floor((atMs - week.endMs) / DAY_MS);
  return daysMax < 1 ? null : store.dropWeek(week, daysMax, run);
}

/** A week whose file cannot be read keeps no other events of its tenant. */
async function removeExpired(
  { store, log, isStopped }: Required<Omit<RetentionParts, 'nowMs'>>,
  tenant: TenantWithRetention,
  run: RunningRetention,
): Promise<number> {
  const { tenantId } = tenant;
  const beforeMs = run.startedAt.getTime() - tenant.retentionDays * DAY_MS;
  let [removed, failed] = [0, 0];
  for (const week of await store.expiredWeeks(tenantId, beforeMs)) {
    if (isStopped()) return removed;
    if (failed === FAILED_WEEKS_MAX) break;
    const gone = await attempt(log, { tenantId, week }, async () => {
      const inFile = await store.removeSealedWeek(tenant, week, beforeMs, run);
      // What has expired of a week that came back into rows goes before the next one comes, so that there is room for it.
      const endMs = Math.min(beforeMs, startOfWeek(week + 1));
      const range = { from: floorOfWeek(week), beforeMs: endMs };
      return inFile + (await removeRows(store, tenant, range, run, isStopped));
    });
    if (gone === null) failed++;
    removed += gone ?? 0;
  }
  return removed + (await removeRows(store, tenant, { from: FIRST_RECORD, beforeMs }, run, isStopped));
}

async function removeRows(
  store: RetentionStore,
  tenant: TenantWithRetention,
  { from: first, beforeMs }: { readonly from: string; readonly beforeMs: number },
  run: RunningRetention,
  isStopped: () => boolean,
): Promise<number> {
  let removed = 0;
  for (let from: string | null = first; from !== null && !isStopped(); ) {
    const step = await store.removeStep(tenant, { from, beforeMs }, run);
    removed += step.removed;
    from = step.next;
  }
  return removed;
}

/** Events with a mark are kept for the tenant's days from their arrival. */
async function removeMarked(
  store: RetentionStore,
  tenant: TenantWithRetention,
  run: RunningRetention,
  isStopped: () => boolean,
): Promise<number> {
  const beforeMs = run.startedAt.getTime() - tenant.retentionDays * DAY_MS;
  let removed = 0;
  while (!isStopped()) {
    const step = await store.removeMarkedStep(tenant, beforeMs, run);
    if (step === 0) break;
    removed += step;
  }
  return removed;
}

/** Lets the run continue if one week or tenant fails. */
async function attempt<T>(log: Logger, what: object, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (err) {
    log.warn({ err, ...what }, 'retention failed; the next run retries');
    return null;
  }
}
