import type { TenantWithRetention } from '../../../caller/tenant.store';
import type { Prisma } from '../../../database/clients';
import { HOUR_MS, LAST_MS } from '../../../event/event-time';
import type { RunningRetention } from './retention-store';

/** The removed events, with the first and the last hour since 1970 that had any. */
export interface Gone {
  readonly events: number;
  readonly firstHour: number;
  readonly lastHour: number;
}

export function together(parts: readonly Gone[]): Gone | null {
  const some = parts.filter(({ events }) => events > 0);
  if (some.length === 0) return null;
  return {
    events: some.reduce((sum, { events }) => sum + events, 0),
    firstHour: Math.min(...some.map(({ firstHour }) => firstHour)),
    lastHour: Math.max(...some.map(({ lastHour }) => lastHour)),
  };
}

/** Adds to the run's record of a tenant, in the transaction of the removal. */
export async function record(
  tx: Prisma.TransactionClient,
  tenant: TenantWithRetention,
  gone: Gone,
  run: RunningRetention,
  partitions: readonly string[] = [],
): Promise<void> {
  await tx.$executeRawUnsafe(
    `INSERT INTO retention_run AS r
       (tenant_id, run_id, retention_days, events, from_time, to_time, partitions, started_at, ended_at,
        by_arrival)
     VALUES ($1::int, $2::uuid, $3::int, $4::bigint, $5::timestamptz, $6::timestamptz, $7::text[], $8::timestamptz,
       $9::timestamptz, $10::bool)
     ON CONFLICT (tenant_id, run_id) DO UPDATE SET events = r.events + excluded.events,
       from_time = least(r.from_time, excluded.from_time), to_time = greatest(r.to_time, excluded.to_time),
       partitions = r.partitions || excluded.partitions, ended_at = excluded.ended_at`,
    tenant.tenantId,
    run.runId,
    tenant.retentionDays,
    gone.events,
    new Date(gone.firstHour * HOUR_MS),
    new Date(Math.min((gone.lastHour + 1) * HOUR_MS, LAST_MS)),
    partitions,
    run.startedAt,
    run.now(),
    run.isByArrival === true,
  );
}
