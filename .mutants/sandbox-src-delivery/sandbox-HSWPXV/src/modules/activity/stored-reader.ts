import type { TenantSet } from '../../caller/tenant-set';
import { type AskRows, Prisma, type RunSteps } from '../../database/clients';
import { guarded } from '../../database/failure';
import { formatTicks } from '../../event/event-time';
import type { AuditEventListItem } from '../../event/fields';
import {
  type AuditEventFilter,
  type AuditEventQuery,
  type AuditSummary,
  isAll,
  isForColumns,
  type Page,
} from '../../event/query';
import { ticksOfRecordId } from '../../event/record-id';
import type { AuditEventReader, StoredAuditEvent } from '../../trail/audit-event-reader';
import { eachTenant, type TenantForm } from '../../trail/counts/scope';
import { DETAIL_COLUMNS, toListItem, toStoredEvent } from '../../trail/event-rows';
import { DEEP_OFFSET, pageStatement } from './page.statement';
import { pageByColumns } from './page-by-columns';
import { scatteredPage } from './scattered-page';
import { filteredSummary, summaryStatement } from './summary.statement';
import { summaryByColumns } from './summary-by-columns';

/**
 * Reads audit events tenant by tenant, so that every sub-select names its tenant and uses the tenant's index. Each
 * answer is one statement, and therefore one snapshot.
 */
export class PostgresAuditEventReader implements AuditEventReader {
  constructor(
    private readonly ask: AskRows,
    private readonly form: TenantForm = 'lateral',
    private readonly deepOffset: bigint = DEEP_OFFSET,
    private readonly snapshot: RunSteps | null = null,
  ) {}

  async page(tenants: TenantSet, query: AuditEventQuery): Promise<Page<AuditEventListItem>> {
    const { page, pageSize } = query;
    const { snapshot, form } = this;
    if (snapshot && isForColumns(query.filter)) {
      const found = await guarded(() => pageByColumns(snapshot, form, tenants, query));
      return { items: found.rows.map(toListItem), totalCount: found.total, page, pageSize };
    }
    const each = eachTenant(tenants, form);
    if (each.isScattered) {
      const found = await guarded(() => scatteredPage(this.ask, tenants, each, query));
      return { items: found.rows.map(toListItem), totalCount: found.total, page, pageSize };
    }
    const statement = pageStatement(each, query, this.deepOffset);
    const rows = await guarded(() => this.ask(statement, tenants));
    const items = rows.filter((row) => row.record_id !== null).map(toListItem);
    return { items, totalCount: Number(rows[0]?.total ?? 0), page, pageSize };
  }

  async find(tenants: TenantSet, recordId: string): Promise<StoredAuditEvent | null> {
    const each = eachTenant(tenants, this.form);
    const statement = each(
      (tenant) => Prisma.sql`
        SELECT ${DETAIL_COLUMNS} FROM audit_event e
        WHERE e.tenant_id = ${tenant} AND e.record_id = ${recordId}::uuid`,
    );
    const [row] = await guarded(() => this.ask(statement, tenants));
    return row ? toStoredEvent(row) : null;
  }

  async summary(tenants: TenantSet, filter: AuditEventFilter): Promise<AuditSummary> {
    const { snapshot, form } = this;
    if (snapshot && !isAll(filter))
      return toSummary(await guarded(() => summaryByColumns(snapshot, form, tenants, filter)));
    const each = eachTenant(tenants, form);
    const statement = isAll(filter) ? summaryStatement(each, filter) : filteredSummary(each, filter);
    const [row] = await guarded(() => this.ask(statement, tenants));
    return toSummary(row ?? {});
  }
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
