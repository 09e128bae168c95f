import { toSnakeCase } from '../audit-event/fields';
import type { AuditEventQuery } from '../audit-event/query';
import type { TenantScope } from '../tenant/tenant-scope';
import { LIST_COLUMNS } from './audit-event.rows';
import { whereOf } from './audit-event.where';
import { orderBy } from './counts/page.statement';
import { perTenant } from './counts/scope';
import { Prisma } from './database';

/** A page of a full-text search with its total, in one statement: it reads every event of the time range. */
export function searchStatement(tenants: TenantScope, query: AuditEventQuery): Prisma.Sql {
  const { filter, sort, descending, page, pageSize } = query;
  const where = whereOf(filter);
  const offset = BigInt(page - 1) * BigInt(pageSize);
  const order = (alias: string) => orderBy(alias, [toSnakeCase(sort), 'record_id'], descending);
  return Prisma.sql`
    SELECT c.total, p.* FROM (
      SELECT coalesce(sum(n.n), 0)::float8 AS total FROM (${perTenant(
        tenants,
        (tenant) =>
          Prisma.sql`SELECT count(*) AS n FROM audit_event e WHERE e.tenant_id = ${tenant} AND ${where}`,
      )}) n) c
    LEFT JOIN (
      SELECT r.* FROM (${perTenant(
        tenants,
        (
          tenant,
        ) => Prisma.sql`SELECT ${LIST_COLUMNS} FROM audit_event e WHERE e.tenant_id = ${tenant} AND ${where}
          ORDER BY ${order('e')} LIMIT ${offset + BigInt(pageSize)}::bigint`,
      )}) r
      ORDER BY ${order('r')} LIMIT ${pageSize}::bigint OFFSET ${offset}::bigint) p ON true
    ORDER BY ${order('p')}`;
}
