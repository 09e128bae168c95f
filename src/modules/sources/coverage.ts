import type { Prisma, ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { ofTenants } from '../../database/tenant-rows';
import type { Expression } from '../../event/expression/expression';
import type { GapReason } from '../../event/source-report';
import { LIMITS } from '../../limits';
import { fromStored } from '../../store/rows/stored-text';
import type { TenantSet } from '../../tenant-set';
import type { StoredGap } from './audit-source';
import { concernedHosts, namesHosts, type SourceHost } from './concerned-sources';

/** Half-open, UTC with seven decimals; null: no end. */
interface TextRange {
  readonly from: string | null;
  readonly to: string | null;
}

export interface CoverageQuestion extends TextRange {
  /** Of the events; null: all. */
  readonly filter: Expression | null;
}

interface SourceCoverage {
  readonly tenantId: number;
  readonly hostName: string;
  readonly databaseName: string;
  readonly lastEventTime: string | null;
  readonly lastReported: Date;
  readonly completeThrough: string | null;
  readonly hasProblem: boolean;
  readonly retiredAt: Date | null;
  readonly standbySince: Date | null;
}

type SourceGap = Id & StoredGap;

interface Coverage {
  readonly sourceCount: number;
  readonly otherSourceCount: number;
  readonly gapCount: number;
  readonly sources: readonly SourceCoverage[];
  readonly gaps: readonly SourceGap[];
}

/** The completeness of a time range's events, by source. */
export function readCoverage(
  service: ServiceDoor,
  tenants: TenantSet,
  { filter, ...range }: CoverageQuestion,
): Promise<Coverage> {
  const ofAny = { tenantId: { in: [...tenants] } };
  return guarded(() =>
    ofTenants(service, tenants, async (tx) => {
      const named =
        filter && namesHosts(filter)
          ? concernedHosts(filter, (await tx.auditSource.findMany({ ...HOSTS, where: ofAny })).map(toHost))
          : null;
      // A server instance may go on at another host under its name, as after a fail-over.
      const concerned = named?.some((host) => wasThere(host, range)) ? named : null;
      const ofThem = concerned ? { ...ofAny, OR: byTenant(concerned) } : ofAny;
      const touching = { AND: [ofThem, touches(range)] };
      const gaps = await tx.auditGap.findMany({
        where: touching,
        orderBy: [{ detectedAt: 'desc' }, { gapId: 'asc' }],
        take: LIMITS.coverageGapsMax,
      });
      const gapCount =
        gaps.length < LIMITS.coverageGapsMax ? gaps.length : await tx.auditGap.count({ where: touching });
      const first = await tx.auditSource.findMany({
        where: ofThem,
        orderBy: WORST_FIRST,
        take: LIMITS.coverageSourcesMax,
      });
      const known = new Set(first.map(keyOf));
      const lacking = [...new Map(gaps.map((gap) => [keyOf(gap), gap])).values()].filter(
        (gap) => !known.has(keyOf(gap)),
      );
      const others =
        lacking.length === 0 ? [] : await tx.auditSource.findMany({ where: { OR: lacking.map(idOf) } });
      const shown = [...first, ...others];
      const away = shown.filter(({ standbySince }) => standbySince !== null);
      const reading = away.length === 0 ? [] : await tx.auditSource.findMany(readersOf(away));
      const labels = new Set(reading.map(labelOf));
      const sourceCount = await tx.auditSource.count({ where: ofThem });
      const all = concerned ? await tx.auditSource.count({ where: ofAny }) : sourceCount;
      return {
        sourceCount,
        gapCount,
        otherSourceCount: all - sourceCount,
        sources: shown.map((row) => toCoverage(row, labels.has(labelOf(row)))),
        gaps: gaps.map(toGap),
      };
    }),
  );
}

const labelOf = ({ tenantId, databaseName }: Omit<Id, 'hostName'>) =>
  JSON.stringify([tenantId, databaseName]);

/** The sources that have the shared folders of some others. */
const readersOf = (away: readonly Omit<Id, 'hostName'>[]) => ({
  where: {
    tenantId: { in: away.map(({ tenantId }) => tenantId) },
    databaseName: { in: away.map(({ databaseName }) => databaseName) },
    standbySince: null,
    retiredAt: null,
    wholeFiles: { not: null },
  },
  select: { tenantId: true, databaseName: true },
});

/** The number of gaps that touch a time range. */
export const countGaps = (service: ServiceDoor, tenants: TenantSet, range: TextRange): Promise<number> =>
  guarded(() =>
    ofTenants(service, tenants, (tx) =>
      tx.auditGap.count({ where: { AND: [{ tenantId: { in: [...tenants] } }, touches(range)] } }),
    ),
  );

/** Sources with a problem first, then by the time since they caught up, which includes silent ones; retired ones last. */
const WORST_FIRST: Prisma.AuditSourceOrderByWithRelationInput[] = [
  { retiredAt: { sort: 'asc', nulls: 'first' } },
  { problem: { sort: 'asc', nulls: 'last' } },
  { caughtUpAt: { sort: 'asc', nulls: 'first' } },
  { hostName: 'asc' },
];

const HOSTS = {
  select: { tenantId: true, hostName: true, retiredAt: true, lastReported: true },
} satisfies Prisma.AuditSourceFindManyArgs;

/** `stored` is the name as the database has it. */
const toHost = <S extends SourceHost>(source: S) => ({
  ...source,
  hostName: fromStored(source.hostName),
  stored: source.hostName,
});

/** Whether a source is in use, or reported in a time range or later. */
const wasThere = (
  { retiredAt, lastReported }: { readonly retiredAt: Date | null; readonly lastReported: Date },
  { from }: TextRange,
): boolean => retiredAt === null || from === null || lastReported.getTime() >= Date.parse(from);

/** The condition that a row is of one of these hosts. */
const byTenant = (hosts: readonly (SourceHost & { readonly stored: string })[]) =>
  [...new Set(hosts.map(({ tenantId }) => tenantId))].map((tenantId) => {
    const own = hosts.filter((host) => host.tenantId === tenantId);
    return { tenantId, hostName: { in: [...new Set(own.map(({ stored }) => stored))] } };
  });

/** A gap with unknown times may be anywhere, so it touches every range. */
const touches = ({ from, to }: TextRange): Prisma.AuditGapWhereInput => ({
  AND: [
    ...(to === null ? [] : [{ OR: [{ afterTime: null }, { afterTime: { lt: to } }] }]),
    ...(from === null ? [] : [{ OR: [{ beforeTime: null }, { beforeTime: { gt: from } }] }]),
  ],
});

interface Id {
  readonly tenantId: number;
  readonly hostName: string;
  readonly databaseName: string;
}
const idOf = ({ tenantId, hostName, databaseName }: Id): Id => ({ tenantId, hostName, databaseName });
const keyOf = (id: Id) => JSON.stringify(idOf(id));

type SourceRow = Id & {
  readonly lastEventTime: string | null;
  readonly caughtUpAt: string | null;
  readonly lastReported: Date;
  readonly problem: string | null;
  readonly retiredAt: Date | null;
  readonly standbySince: Date | null;
};
type GapRow = Id & Omit<StoredGap, 'reason'> & { readonly reason: string };

/** @param isRead whether another host has the folder, where it is away */
function toCoverage(row: SourceRow, isRead: boolean): SourceCoverage {
  const { tenantId, hostName, databaseName, lastEventTime, lastReported, caughtUpAt, problem } = row;
  return {
    tenantId,
    retiredAt: row.retiredAt,
    standbySince: isRead ? row.standbySince : null,
    lastEventTime,
    lastReported,
    completeThrough: caughtUpAt,
    hasProblem: problem !== null,
    hostName: fromStored(hostName),
    databaseName: fromStored(databaseName),
  };
}

const toGap = (row: GapRow): SourceGap => ({
  ...row,
  reason: row.reason as GapReason,
  hostName: fromStored(row.hostName),
  databaseName: fromStored(row.databaseName),
  fileName: fromStored(row.fileName),
  detail: fromStored(row.detail),
});
