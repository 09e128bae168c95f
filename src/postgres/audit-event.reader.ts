import { formatTicks } from '../audit-event/event-time';
import type { AuditEventListItem } from '../audit-event/fields';
import { toSnakeCase } from '../audit-event/fields';
import type { SortField } from '../audit-event/parameters';
import type { AuditEventQuery, AuditSummary, Page, TimeRange } from '../audit-event/query';
import { ticksOfRecordId } from '../audit-event/record-id';
import type { AuditEventReader, StoredAuditEvent } from '../search/audit-event-reader';
import type { TenantScope } from '../tenant/tenant-scope';
import { DETAIL_COLUMNS, LIST_COLUMNS, type Row, toListItem, toStoredEvent } from './audit-event.rows';
import { whereInRange, whereOf } from './audit-event.where';
import { Prisma, type PrismaClient } from './database';
import { guarded } from './failure';

/**
 * Reads audit events tenant by tenant (LATERAL over `tenant`), so that every sub-select names its tenant and
 * uses the tenant's index. Each answer is one statement, hence one snapshot.
 */
export class PostgresAuditEventReader implements AuditEventReader {
  constructor(private readonly prisma: PrismaClient) {}

  async page(tenants: TenantScope, query: AuditEventQuery): Promise<Page<AuditEventListItem>> {
    const { page, pageSize } = query;
    const rows = await guarded(() => this.prisma.$queryRaw<Row[]>(pageStatement(tenants, query)));
    const items = rows.filter((row) => row.record_id !== null).map(toListItem);
    return { items, totalCount: Number(rows[0]?.total ?? 0), page, pageSize };
  }

  async find(tenants: TenantScope, recordId: string): Promise<StoredAuditEvent | null> {
    const [row] = await guarded(
      () => this.prisma.$queryRaw<Row[]>`
        SELECT r.* FROM tenant t CROSS JOIN LATERAL (
          SELECT ${DETAIL_COLUMNS} FROM audit_event e
          WHERE e.tenant_id = t.tenant_id AND e.record_id = ${recordId}::uuid) r
        WHERE t.tenant_id = ANY(${[...tenants]}::int[])`,
    );
    return row ? toStoredEvent(row) : null;
  }

  async summary(tenants: TenantScope, range: TimeRange): Promise<AuditSummary> {
    const [row] = await guarded(
      () => this.prisma.$queryRaw<Row[]>`
        WITH seen AS (
          SELECT g.* FROM tenant t CROSS JOIN LATERAL (
            SELECT e.database_name, e.server_principal_name, count(*) AS n,
                   count(*) FILTER (WHERE e.succeeded) AS ok, max(e.record_id::text) AS latest
            FROM audit_event e WHERE e.tenant_id = t.tenant_id AND ${whereInRange(range)}
            GROUP BY e.database_name, e.server_principal_name) g
          WHERE t.tenant_id = ANY(${[...tenants]}::int[]))
        SELECT coalesce(sum(n), 0)::float8 AS total, coalesce(sum(ok), 0)::float8 AS ok, max(latest) AS latest,
               count(DISTINCT nullif(database_name, ''))::float8 AS databases,
               count(DISTINCT nullif(server_principal_name, ''))::float8 AS principals
        FROM seen`,
    );
    return toSummary(row ?? {});
  }
}

function pageStatement(tenants: TenantScope, query: AuditEventQuery): Prisma.Sql {
  const { page, pageSize, sort, descending } = query;
  const where = whereOf(query.filter);
  const scope = Prisma.sql`t.tenant_id = ANY(${[...tenants]}::int[])`;
  const offset = (page - 1) * pageSize;
  return Prisma.sql`
    SELECT c.total, p.* FROM (
      SELECT coalesce(sum(n.n), 0)::float8 AS total FROM tenant t CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM audit_event e WHERE e.tenant_id = t.tenant_id AND ${where}) n
      WHERE ${scope}) c
    LEFT JOIN (
      SELECT r.* FROM tenant t CROSS JOIN LATERAL (
        SELECT ${LIST_COLUMNS} FROM audit_event e WHERE e.tenant_id = t.tenant_id AND ${where}
        ORDER BY ${orderBy('e', sort, descending)} LIMIT ${offset + pageSize}::bigint) r
      WHERE ${scope}
      ORDER BY ${orderBy('r', sort, descending)} LIMIT ${pageSize}::bigint OFFSET ${offset}::bigint) p ON true
    ORDER BY ${orderBy('p', sort, descending)}`;
}

/** Column names come from the field table, never from the caller. */
function orderBy(alias: string, sort: SortField, descending: boolean): Prisma.Sql {
  const direction = descending ? 'DESC' : 'ASC';
  const columns = [...new Set([toSnakeCase(sort), 'record_id'])];
  return Prisma.raw(columns.map((column) => `${alias}.${column} ${direction}`).join(', '));
}

function toSummary(row: Row): AuditSummary {
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
