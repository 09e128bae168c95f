import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { ofTenants } from '../../database/tenant-rows';
import { formatTicks } from '../../event/event-time';
import { ticksOfRecordId } from '../../event/record-id';
import type { Answer } from '../../event/shape';
import type { GapReason } from '../../event/source-report';
import { LIMITS } from '../../limits';
import { fromStored } from '../../store/rows/stored-text';
import type { TenantSet } from '../../tenant-set';
import type { SOURCE_ITEM } from './answers';
import { type AuditSource, keyOfSource, lagOf, stateOfSource } from './audit-source';
import { BACKFILLING, FIRST_WAITING, LIST_OF_TENANTS, NEWEST_GAPS } from './audit-source.statements';
import { type SourceRow, toSources } from './audit-source.store';

type SourceItem = Answer<typeof SOURCE_ITEM>;

/** A source, and how many of the gaps of the time range that was asked for it does not list. */
type ListedSource = SourceItem & { readonly moreGaps?: number };

/**
 * The sources of some tenants with the time up to which each is complete, by tenant, host and database. Each has its newest
 * gaps, or more of those that may lie in a time range: `GAPS_WITHIN` of them.
 */
export type ListComplete = (
  tenants: TenantSet,
  within?: { readonly from: string; readonly to: string },
) => Promise<readonly ListedSource[]>;

const GAPS_WITHIN = LIMITS.sourceGapsShownMax;

/**
 * Reads the agents' reports first, and the events that wait for the evidence log second. An event that an agent counts
 * as published was acknowledged before. So at the second read it waits or is in the log.
 */
export const listComplete =
  (service: ServiceDoor, nowMs: () => number): ListComplete =>
  (tenants, within) =>
    guarded(() =>
      ofTenants(service, tenants, async (tx) => {
        const ask = <T>(statement: string, ...further: unknown[]) =>
          tx.$queryRawUnsafe<T[]>(statement, [...tenants], ...further);
        const sources = toSources(await ask<SourceRow>(LIST_OF_TENANTS));
        const gaps = sources.some(({ gapCount }) => gapCount > 0)
          ? await ask<GapRow>(
              NEWEST_GAPS,
              within ? GAPS_WITHIN : LIMITS.sourceGapsListed,
              within?.from ?? null,
              within?.to ?? null,
            )
          : [];
        const waiting = await ask<{ tenant_id: number; first: string }>(FIRST_WAITING);
        const backfilling = await ask<{ tenant_id: number }>(BACKFILLING);
        const limits = new Map(waiting.map(({ tenant_id, first }) => [tenant_id, timeBefore(first)]));
        const incomplete = new Set(backfilling.map(({ tenant_id }) => tenant_id));
        const gapsOf = bySource(gaps);
        return sources.map((source): ListedSource => {
          const own = gapsOf.get(keyOfSource(source)) ?? [];
          const limit = incomplete.has(source.tenantId)
            ? null
            : (limits.get(source.tenantId) ?? source.caughtUpAt);
          const item = toItem(source, { gaps: own, limit, nowMs: nowMs() });
          return within ? { ...item, moreGaps: (own[0]?.found ?? 0) - own.length } : item;
        });
      }),
    );

interface GapRow {
  readonly tenant_id: number;
  readonly host_name: string;
  readonly database_name: string;
  readonly gap_id: string;
  readonly reason: string;
  readonly file_name: string;
  readonly file_guid: string | null;
  readonly detail: string;
  readonly after_time: string | null;
  readonly before_time: string | null;
  readonly detected_at: string;
  readonly first_reported: Date;
  readonly found: number;
}

function bySource(gaps: readonly GapRow[]): ReadonlyMap<string, readonly GapRow[]> {
  const found = new Map<string, GapRow[]>();
  for (const gap of gaps) {
    const [hostName, databaseName] = [fromStored(gap.host_name), fromStored(gap.database_name)];
    const key = keyOfSource({ tenantId: gap.tenant_id, hostName, databaseName });
    const own = found.get(key);
    if (own) own.push(gap);
    else found.set(key, [gap]);
  }
  return found;
}

/** The moment before an event. @param id 32 hexadecimal digits */
function timeBefore(id: string): string {
  const recordId = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return formatTicks(ticksOfRecordId(recordId) - 1n);
}

/** Compares two times as texts, because both have the same format. */
const earlier = (a: string | null, b: string | null) => (a === null || b === null ? null : a < b ? a : b);

function toItem(
  source: AuditSource,
  parts: { readonly gaps: readonly GapRow[]; readonly limit: string | null; readonly nowMs: number },
): SourceItem {
  const { tenantId, hostName, databaseName, lastEventTime, lastReported, gapCount } = source;
  return {
    tenantId: String(tenantId),
    hostName,
    databaseName,
    lastEventTime,
    gapCount,
    state: stateOfSource(source, parts.nowMs),
    lagSeconds: lagOf(source, parts.nowMs),
    completeThrough: earlier(source.caughtUpAt, parts.limit),
    lastReported: lastReported.toISOString(),
    gaps: parts.gaps.map((gap) => ({
      gapId: gap.gap_id,
      reason: gap.reason as GapReason,
      fileGuid: gap.file_guid,
      fileName: fromStored(gap.file_name),
      detail: fromStored(gap.detail),
      afterTime: gap.after_time,
      beforeTime: gap.before_time,
      detectedAt: gap.detected_at,
      firstReported: gap.first_reported.toISOString(),
    })),
  };
}
