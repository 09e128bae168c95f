import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { ofTenants } from '../../database/tenant-rows';
import { HOUR_MS } from '../../event/event-time';
import { fromStored } from '../../store/rows/stored-text';
import type { TenantSet } from '../../tenant-set';
import { keyOfSource } from './audit-source';
import { LIST_OF_TENANTS, NOTED_LAGS } from './audit-source.statements';
import { type SourceRow, toSources } from './audit-source.store';
import { figuresOf, type LagFigures, type LagMinutes, minutesBetween } from './lag';

/** How far a source was behind over a period. */
export interface SourceLag extends LagFigures {
  readonly tenantId: string;
  readonly hostName: string;
  readonly databaseName: string;
}
/** The sources of some tenants over a period, in milliseconds since 1970: whole hours count that it touches. */
export type ListLags = (tenants: TenantSet, fromMs: number, toMs: number) => Promise<readonly SourceLag[]>;

interface LagRow {
  readonly tenantId: number;
  readonly hostName: string;
  readonly databaseName: string;
  readonly lagClass: number;
  readonly minutes: number;
  readonly worstMs: number;
}

/** By tenant, host and database. The silence of an agent that has not reported since counts too. */
export const listLags =
  (service: ServiceDoor, nowMs: () => number): ListLags =>
  (tenants, from, to) =>
    guarded(() =>
      ofTenants(service, tenants, async (tx) => {
        // Nothing was noted before 1970, and the database takes no time of the year 0.
        const [fromMs, toMs] = [Math.max(0, from), Math.max(0, to)];
        const start = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
        const sources = toSources(await tx.$queryRawUnsafe<SourceRow[]>(LIST_OF_TENANTS, [...tenants]));
        const rows = await tx.$queryRawUnsafe<LagRow[]>(
          NOTED_LAGS,
          ...[[...tenants], new Date(start), new Date(toMs)],
        );
        const bySource = new Map<string, LagRow[]>();
        for (const row of rows) {
          const key = keyOfSource({
            tenantId: row.tenantId,
            hostName: fromStored(row.hostName),
            databaseName: fromStored(row.databaseName),
          });
          const own = bySource.get(key);
          if (own) own.push(row);
          else bySource.set(key, [row]);
        }
        return sources.map((source) => {
          const { tenantId, hostName, databaseName, lastReported, caughtUpAt } = source;
          const isRead = source.standbySince !== null && !source.isUnread;
          const own = bySource.get(keyOfSource(source)) ?? [];
          const before = {
            atMs: lastReported.getTime(),
            caughtUpMs: caughtUpAt === null ? null : Date.parse(caughtUpAt),
          };
          const since =
            source.retiredAt === null && !isRead
              ? minutesBetween(before, null, Math.min(toMs, nowMs()))
              : ([] as LagMinutes[]);
          const noted = [...own, ...since.filter(({ hourMs }) => hourMs >= start)];
          return { tenantId: String(tenantId), hostName, databaseName, ...figuresOf(merged(noted)) };
        });
      }),
    );

/** Those of a class together. */
function merged(noted: readonly Pick<LagMinutes, 'lagClass' | 'minutes' | 'worstMs'>[]) {
  const byClass = new Map<number, Pick<LagMinutes, 'lagClass' | 'minutes' | 'worstMs'>>();
  for (const { lagClass, minutes, worstMs } of noted) {
    const own = byClass.get(lagClass);
    byClass.set(lagClass, {
      lagClass,
      minutes: (own?.minutes ?? 0) + minutes,
      worstMs: Math.max(own?.worstMs ?? 0, worstMs),
    });
  }
  return [...byClass.values()];
}
