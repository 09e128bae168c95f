import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { formatTicks } from '../../event/event-time';
import type { AuditEventListItem } from '../../event/fields';
import type { AuditEventFilter, AuditEventQuery, AuditSummary, Page } from '../../event/query';
import { ticksOfRecordId } from '../../event/record-id';
import { fromRowsAlone } from '../../store/archive/in-parts';
import { rowsByIds } from '../../store/archive/rows-by-id';
import { byTier, type Plan, planOf } from '../../store/plan';
import type { AuditEventReader, StoredAuditEvent } from '../../store/rows/audit-event-reader';
import { listItemOf, type Row, toStoredEvent } from '../../store/rows/event-rows';
import type { TenantSet } from '../../tenant-set';
import { newestAcross } from './newest-across';
import { DEEP_OFFSET, pageStatement } from './page.statement';
import { pageByColumns } from './page-by-columns';
import { scatteredPage } from './scattered-page';
import { summaryStatement } from './summary.statement';
import { summaryByColumns } from './summary-by-columns';

/**
 * Reads audit events tenant by tenant, so that every sub-select names its tenant and uses the tenant's index. Each
 * answer is one statement, and therefore one snapshot.
 */
export class PostgresAuditEventReader implements AuditEventReader {
  constructor(
    private readonly service: ServiceDoor,
    private readonly deepOffset: bigint = DEEP_OFFSET,
  ) {}

  page(
    tenants: TenantSet,
    query: AuditEventQuery,
    plan: Plan = planOf({ kind: 'page', filter: query.filter }),
  ): Promise<Page<AuditEventListItem>> {
    const across = () => planOf({ kind: 'page', filter: query.filter, reachesFiles: true });
    return byTier(
      this.service,
      { tenants, range: query.filter },
      () => this.#page(tenants, query, plan),
      async () => {
        const found = await guarded(() => newestAcross(this.service, tenants, query));
        return found ? pageOf(query, found) : this.#page(tenants, query, across());
      },
    );
  }

  async #page(
    tenants: TenantSet,
    query: AuditEventQuery,
    { by, planning }: Plan,
  ): Promise<Page<AuditEventListItem>> {
    const { service } = this;
    if (by === 'columns') {
      return pageOf(query, await guarded(() => pageByColumns(service, tenants, query)));
    }
    const each = service.each(tenants);
    if (each.isScattered) {
      return pageOf(query, await guarded(() => scatteredPage(service, tenants, each, { query, by })));
    }
    const statement = pageStatement(each, query, by, this.deepOffset);
    const rows = await guarded(() => this.service.ask(statement, tenants, planning));
    const found = rows.filter((row) => row.record_id !== null);
    return pageOf(query, { rows: found, total: Number(rows[0]?.total ?? 0) });
  }

  async find(tenants: TenantSet, recordId: string): Promise<StoredAuditEvent | null> {
    const [row] = await rowsByIds(this.service, tenants, [recordId]);
    return row ? toStoredEvent(row) : null;
  }

  summary(
    tenants: TenantSet,
    filter: AuditEventFilter,
    plan: Plan = planOf({ kind: 'summary', filter }),
  ): Promise<AuditSummary> {
    const across = () => planOf({ kind: 'summary', filter, reachesFiles: true });
    return byTier(
      this.service,
      { tenants, range: filter },
      () => this.#summary(tenants, filter, plan),
      async () =>
        (await this.#summaryOfRows(tenants, filter, plan)) ?? this.#summary(tenants, filter, across()),
    );
  }

  /** Null: files may have events of the range, or columns are to count them. */
  async #summaryOfRows(
    tenants: TenantSet,
    filter: AuditEventFilter,
    { by, planning }: Plan,
  ): Promise<AuditSummary | null> {
    const { service } = this;
    const each = service.each(tenants);
    if (by === 'columns' || each.isScattered) return null;
    const rows = await guarded(() =>
      fromRowsAlone(service, tenants, filter, (ask) => ask(summaryStatement(each, filter), planning)),
    );
    return rows && toSummary(rows[0] ?? {});
  }

  async #summary(
    tenants: TenantSet,
    filter: AuditEventFilter,
    { by, planning }: Plan,
  ): Promise<AuditSummary> {
    const { service } = this;
    if (by === 'columns') return toSummary(await guarded(() => summaryByColumns(service, tenants, filter)));
    const each = service.each(tenants);
    const [row] = await guarded(() => this.service.ask(summaryStatement(each, filter), tenants, planning));
    return toSummary(row ?? {});
  }
}

function pageOf(
  query: AuditEventQuery,
  found: { readonly rows: readonly Row[]; readonly total: number },
): Page<AuditEventListItem> {
  const { page, pageSize } = query;
  return { items: found.rows.map(listItemOf(query)), totalCount: found.total, page, pageSize };
}

function toSummary(row: Readonly<Record<string, unknown>>): AuditSummary {
  const totalCount = Number(row.total ?? 0);
  const successfulCount = Number(row.ok ?? 0);
  return {
    totalCount,
    successfulCount,
    failedCount: totalCount - successfulCount,
    distinctDatabases: Number(row.databases ?? 0),
    distinctPrincipals: Number(row.principals ?? 0),
    latestEventTime: typeof row.latest === 'string' ? formatTicks(ticksOfRecordId(row.latest)) : null,
  };
}
