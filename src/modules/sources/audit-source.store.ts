import type { Attempt } from '../../caller/access-log';
import type { OwnerDoor, Prisma, ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { ofEveryTenant, ofTenants } from '../../database/tenant-rows';
import { DomainError, toDomainError } from '../../errors';
import type { GapReason } from '../../event/source-report';
import { LIMITS } from '../../limits';
import { fromStored, toStored } from '../../store/rows/stored-text';
import { oneTenant } from '../../tenant-set';
import { type AgentRun, isForAnother, severalAgents, withReport } from './agent-runs';
import type { AuditGap, AuditSource, SharedFolder, SourceId, SourceReport, StoredGap } from './audit-source';
import {
  COUNT_GAPS,
  FILL_GAPS,
  FIND_TENANT,
  GONE_REASONS,
  LIST_ALL,
  LIST_OF_TENANT,
  OF_FOLDER,
  PUT_BESIDE,
  PUT_GAPS,
  PUT_LAGS,
  PUT_SOURCE,
  REMOVE_GAPS,
  REMOVE_LAGS,
  SOURCE_BEFORE,
} from './audit-source.statements';
import { minutesBetween } from './lag';
import { type AreGapsHeld, type Removal, type RemovedSources, removeSources } from './remove-sources';
import { type RetiredSources, type Retirement, retireSources } from './retire-sources';

/** Port: stores sources and their gaps. */
export interface AuditSourceStore {
  /**
   * Resolves after the commit of everything a report says; of a report that is refused nothing is stored. In whatever
   * order and however often reports come, times only move forward and a gap stays one: of several accounts of it the
   * widest is kept. Not so what counts or is momentary: `publishedCount` adds up; version, waiting bytes and problem
   * are those of the report that came last.
   * @throws DomainError `service_unavailable` when the source would have more than `LIMITS.sourceGapsMax` gaps:
   * dropping one would hide a loss, so its agent keeps them all and reports them again, and its lag grows meanwhile; also
   * when the source is new and the tenant has `LIMITS.sourcesMax`
   */
  report(tenantId: number, report: SourceReport, at: Date): Promise<void>;
  /** By tenant, host and database. @param tenantId null: of every tenant */
  sources(tenantId: number | null): Promise<readonly AuditSource[]>;
  /** Newest first. */
  gaps(tenantId: number, source: SourceId, limit: number): Promise<readonly StoredGap[]>;
  /**
   * Removes gaps first reported before `before`, and the lags of hours before it, unless the tenant's retention is another than `retentionDays` by
   * now, or a legal hold is in force. @returns how many gaps
   */
  removeGaps(tenantId: number, retentionDays: number, before: Date, at: Date): Promise<number>;
  /** See `removeSources`. */
  remove(tenantId: number, asked: Removal, attempt: Attempt): Promise<RemovedSources>;
  /** See `retireSources`. */
  retire(tenantId: number, asked: Retirement, at: Date, attempt: Attempt): Promise<RetiredSources>;
}

export class PostgresAuditSourceStore implements AuditSourceStore {
  /** @param background a client without time limits */
  constructor(
    private readonly service: ServiceDoor,
    private readonly owner: OwnerDoor,
    private readonly areGapsHeld: AreGapsHeld,
  ) {}

  async report(tenantId: number, report: SourceReport, at: Date): Promise<void> {
    const key = [tenantId, toStored(report.hostName), toStored(report.databaseName)] as const;
    const files = report.shared?.wholeFiles ?? [];
    // Each report names the files again, so a gap that another agent reports at this moment is filled by the next one.
    if (files.length > 0)
      await guarded(() => this.owner.models.$executeRawUnsafe(FILL_GAPS, ...key, files.join()));
    await guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), async (tx) => {
        const [before] = await tx.$queryRawUnsafe<Before[]>(SOURCE_BEFORE, ...key);
        const isBeside = await putSource(tx, key, report, before, at);
        const ofFolder = report.shared ? await tx.$queryRawUnsafe<OfFolder[]>(OF_FOLDER, ...key) : [];
        const isRead = report.shared?.isStandby === true && ofFolder.some(({ hasFolder }) => hasFolder);
        const lags = isRead || isBeside ? [] : lagsOf(before, report, at);
        if (lags.length > 0) await tx.$executeRawUnsafe(PUT_LAGS, ...key, JSON.stringify(lags));
        const kept = unfilled(report.gaps, ofFolder);
        if (kept.length === 0) return;
        const gaps = JSON.stringify(kept.map(toRow));
        await tx.$executeRawUnsafe(PUT_GAPS, ...key, gaps, at);
        const [count] = await tx.$queryRawUnsafe<{ n: number }[]>(COUNT_GAPS, ...key);
        if (!count || count.n > LIMITS.sourceGapsMax) throw tooManyGaps();
      }),
    );
  }

  async sources(tenantId: number | null): Promise<readonly AuditSource[]> {
    const rows = await guarded(() =>
      tenantId === null
        ? ofEveryTenant(this.service, (tx) => tx.$queryRawUnsafe<SourceRow[]>(LIST_ALL))
        : ofTenants(this.service, oneTenant(tenantId), (tx) =>
            tx.$queryRawUnsafe<SourceRow[]>(LIST_OF_TENANT, tenantId),
          ),
    );
    return toSources(rows);
  }

  async gaps(tenantId: number, source: SourceId, limit: number): Promise<readonly StoredGap[]> {
    const { hostName, databaseName } = source;
    const found = await guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), (tx) =>
        tx.auditGap.findMany({
          where: { tenantId, hostName: toStored(hostName), databaseName: toStored(databaseName) },
          orderBy: [{ detectedAt: 'desc' }, { gapId: 'asc' }],
          take: limit,
          omit: { tenantId: true, hostName: true, databaseName: true },
        }),
      ),
    );
    return found.map((gap) => ({
      ...gap,
      reason: gap.reason as GapReason,
      fileName: fromStored(gap.fileName),
      detail: fromStored(gap.detail),
    }));
  }

  remove(tenantId: number, asked: Removal, attempt: Attempt): Promise<RemovedSources> {
    return removeSources(this.owner, this.areGapsHeld, tenantId, asked, attempt);
  }

  retire(tenantId: number, asked: Retirement, at: Date, attempt: Attempt): Promise<RetiredSources> {
    return retireSources(this.owner, tenantId, asked, at, attempt);
  }

  removeGaps(tenantId: number, retentionDays: number, before: Date, at: Date): Promise<number> {
    return this.owner.models.$transaction(
      async (tx) => {
        if (await this.areGapsHeld(tx, tenantId, at)) return 0;
        await tx.$executeRawUnsafe(REMOVE_LAGS, tenantId, before, retentionDays);
        return tx.$executeRawUnsafe(REMOVE_GAPS, tenantId, before, retentionDays);
      },
      { timeout: REMOVE_TIMEOUT_MS },
    );
  }
}

const REMOVE_TIMEOUT_MS = 60_000;

const tooManySources = () =>
  new DomainError('service_unavailable', {
    public:
      `The tenant has the ${LIMITS.sourcesMax} sources that are kept of one tenant: nothing of the report of another ` +
      'one was stored. Keep it until there is room.',
  });

const tooManyGaps = () =>
  new DomainError('service_unavailable', {
    public:
      `This source would have more than the ${LIMITS.sourceGapsMax} gaps that are stored of one source: ` +
      'nothing of the report was stored. Keep it until there is room.',
  });

type Key = readonly [tenantId: number, hostName: string, databaseName: string];

/** @returns whether the state of the source is that of another host, which reports it under the same name and had the folder last */
async function putSource(
  tx: Prisma.TransactionClient,
  key: Key,
  report: SourceReport,
  before: Before,
  at: Date,
): Promise<boolean> {
  const { runId, shared } = report;
  const isAway = shared?.isStandby === true;
  const runs = runId === null ? null : withReport(before?.runs ?? [], runId, at.getTime(), isAway);
  const files = shared && JSON.stringify(wholeFilesOf(before, shared));
  if (runs && isForAnother(runs) && before?.retiredAt === null) {
    const { lastEventTime, caughtUpAt, publishedCount } = report;
    const said = [lastEventTime, caughtUpAt, publishedCount, at, JSON.stringify(runs), files];
    await tx.$executeRawUnsafe(PUT_BESIDE, ...key, ...said);
    return true;
  }
  const put = await tx.$executeRawUnsafe(
    PUT_SOURCE,
    ...key,
    ...valuesOf(report, report.problem ?? (runs && severalAgents(runs))),
    at,
    report.clockAheadMs,
    LIMITS.sourcesMax,
    runs && JSON.stringify(runs),
    isAway,
    files,
    report.running && JSON.stringify(report.running),
    report.package && JSON.stringify(report.package),
  );
  if (put > 0) return false;
  const [tenant] = await tx.$queryRawUnsafe<object[]>(FIND_TENANT, key[0]);
  throw tenant
    ? tooManySources()
    : toDomainError(new Error(`tenant ${key[0]} does not exist: nothing was stored`));
}

/** Those of the report, and those that were reported before: a file that is published whole stays so. */
function wholeFilesOf(before: Before, { wholeFiles }: SharedFolder): readonly string[] {
  const known: readonly string[] = JSON.parse(before?.wholeFiles ?? '[]');
  return [...known.filter((guid) => !wholeFiles.includes(guid)), ...wholeFiles].slice(
    -LIMITS.reportWholeFilesMax,
  );
}

/** A source with the same shared folder. */
interface OfFolder {
  /** JSON. */
  readonly files: string;
  readonly hasFolder: boolean;
}

/** Without the gaps in files that an agent published whole. */
function unfilled(gaps: readonly AuditGap[], ofFolder: readonly OfFolder[]): readonly AuditGap[] {
  const whole = new Set(ofFolder.flatMap(({ files }) => JSON.parse(files) as string[]));
  return gaps.filter(
    ({ reason, fileGuid }) =>
      !GONE_REASONS.includes(reason) || fileGuid === null || !whole.has(fileGuid.toLowerCase()),
  );
}

/** What is known of a source before a report; absent: it is new. */
type Before =
  | (Pick<AuditSource, 'caughtUpAt' | 'lastReported' | 'retiredAt' | 'standbySince'> & {
      readonly runs: readonly AgentRun[] | null;
      /** JSON. Null: its folder is of one host. */
      readonly wholeFiles: string | null;
    })
  | undefined;

/** After standby the lag is noted anew, since another host may have read the folder meanwhile. */
function lagsOf(before: Before, { caughtUpAt, shared }: SourceReport, at: Date) {
  const msOf = (time: string | null) => (time === null ? null : Date.parse(time));
  const known =
    before && before.retiredAt === null && (before.standbySince === null || shared?.isStandby)
      ? { atMs: before.lastReported.getTime(), caughtUpMs: msOf(before.caughtUpAt) }
      : null;
  return minutesBetween(known, { atMs: at.getTime(), caughtUpMs: msOf(caughtUpAt) }).map((one) => ({
    hour_ms: one.hourMs,
    lag_class: one.lagClass,
    minutes: one.minutes,
    worst_ms: one.worstMs,
  }));
}

/** The parameters $4 to $9 of `PUT_SOURCE`. */
const valuesOf = (report: SourceReport, problem: string | null) => [
  toStored(report.agentVersion),
  report.lastEventTime,
  report.caughtUpAt,
  report.waitingBytes,
  report.publishedCount,
  problem === null ? null : toStored(problem),
];

const toRow = (gap: AuditGap) => ({
  gap_id: gap.gapId,
  reason: gap.reason,
  file_name: toStored(gap.fileName),
  file_guid: gap.fileGuid,
  detail: toStored(gap.detail),
  after_time: gap.afterTime,
  before_time: gap.beforeTime,
  detected_at: gap.detectedAt,
});

export type SourceRow = Omit<AuditSource, 'waitingBytes' | 'publishedCount' | 'isUnread'> & {
  readonly waitingBytes: bigint;
  readonly publishedCount: bigint;
  readonly isShared: boolean;
};

/** @param rows all sources of their tenants */
export function toSources(rows: readonly SourceRow[]): AuditSource[] {
  const labelOf = ({ tenantId, databaseName }: SourceRow) => JSON.stringify([tenantId, databaseName]);
  const read = new Set(
    rows.filter((row) => row.isShared && row.standbySince === null && row.retiredAt === null).map(labelOf),
  );
  return rows.map((row) => toSource(row, !read.has(labelOf(row))));
}

const toSource = ({ isShared: _, ...row }: SourceRow, isUnread: boolean): AuditSource => ({
  ...row,
  isUnread,
  hostName: fromStored(row.hostName),
  databaseName: fromStored(row.databaseName),
  agentVersion: fromStored(row.agentVersion),
  waitingBytes: Number(row.waitingBytes),
  publishedCount: Number(row.publishedCount),
  problem: row.problem === null ? null : fromStored(row.problem),
});
