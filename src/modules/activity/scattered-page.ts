import { Prisma, type ServiceDoor } from '../../database/clients';
import type { EachTenant } from '../../database/each-tenant';
import { COLUMN_OF } from '../../event/fields';
import type { AuditEventQuery } from '../../event/query';
import { countedOf, groupDimension } from '../../store/counts/dimensions';
import type { Access } from '../../store/plan';
import { listColumns, type Row, whereOf } from '../../store/rows/event-rows';
import type { TenantSet } from '../../tenant-set';
import { orderBy, stretches } from './page.statement';

/** The span of a group's events that a page touches: from a record id (inclusive) to another one (exclusive). */
interface Stretch {
  readonly v: string | boolean;
  readonly lo: string;
  readonly hi: string;
}

/**
 * A page over tenants on several nodes, in three statements: the spans that the page touches, the places of its rows,
 * the rows. A single statement would ask one tenant after the other and send each result to every node. Each of the
 * three asks all nodes at once. Each has its own snapshot, as the nodes' answers have anyway.
 */
export async function scatteredPage(
  { ask }: ServiceDoor,
  tenants: TenantSet,
  each: EachTenant,
  { query, by }: { readonly query: AuditEventQuery; readonly by: Access },
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> {
  const found = await ask(stretchesStatement(each, query, by), tenants);
  const total = Number(found[0]?.total ?? 0);
  const touched = found.filter(({ lo }) => lo !== null);
  if (touched.length === 0) return { rows: [], total };
  const before = touched.reduce(
    (least, row) => Math.min(least, Number(row.before)),
    Number.POSITIVE_INFINITY,
  );
  const passed = Math.max(0, (query.page - 1) * query.pageSize - before);
  const places = await ask(placesStatement(each, query, joined(touched), passed), tenants);
  const ids = places.map(({ record_id }) => String(record_id));
  return { rows: await ask(rowsStatement(each, query, ids), tenants), total };
}

const stretchesStatement = (each: EachTenant, query: AuditEventQuery, by: Access): Prisma.Sql => Prisma.sql`
  WITH ${stretches(each, query, by)}
  SELECT c.total, f.v, f.lo_id::text AS lo, f.hi_id::text AS hi, f.before::float8 AS before
  FROM (SELECT coalesce(sum(n), 0)::float8 AS total FROM segment) c LEFT JOIN fine f ON true`;

/** Joins the spans of each group into one. Between two spans of a group there are no events of the group. */
function joined(rows: readonly Row[]): Stretch[] {
  const bounds = new Map<Stretch['v'], string[]>();
  for (const { v, lo, hi } of rows) {
    const known = bounds.get(v as Stretch['v']) ?? [];
    bounds.set(v as Stretch['v'], [...known, String(lo), String(hi)].sort());
  }
  return [...bounds].map(([v, all]) => ({ v, lo: all[0] ?? '', hi: all.at(-1) ?? '' }));
}

function placesStatement(
  each: EachTenant,
  { filter, sort, descending, pageSize }: AuditEventQuery,
  found: readonly Stretch[],
  passed: number,
): Prisma.Sql {
  const counted = countedOf(filter, sort);
  const dimension = groupDimension(counted);
  const group = counted.group === 'outcome' ? 'succeeded' : (dimension?.column ?? null);
  const v = Prisma.raw(group ? `e.${group}` : `''::text`);
  const within = found.map(
    (stretch) =>
      Prisma.sql`(e.record_id >= ${stretch.lo}::uuid AND e.record_id < ${stretch.hi}::uuid AND ${group === null ? Prisma.sql`true` : Prisma.sql`${v} = ${stretch.v}`})`,
  );
  return Prisma.sql`
    SELECT r.record_id FROM (${each(
      (tenant) => Prisma.sql`
      SELECT ${v} AS v, e.record_id FROM audit_event e
      WHERE e.tenant_id = ${tenant} AND (${Prisma.join(within, ' OR ')}) AND ${whereOf(filter)}
      ORDER BY ${orderBy('e', group ? [group, 'record_id'] : ['record_id'], descending)}
      LIMIT ${passed + pageSize}::bigint`,
    )}) r ORDER BY ${orderBy('r', ['v', 'record_id'], descending)} LIMIT ${pageSize}::bigint OFFSET ${passed}::bigint`;
}

const rowsStatement = (each: EachTenant, query: AuditEventQuery, ids: readonly string[]) => Prisma.sql`
  SELECT r.* FROM (${each(
    (tenant) => Prisma.sql`
    SELECT ${listColumns(query)} FROM audit_event e
    WHERE e.tenant_id = ${tenant} AND e.record_id = ANY(${[...ids]}::uuid[])`,
  )}) r ORDER BY ${orderBy('r', [COLUMN_OF[query.sort], 'record_id'], query.descending)}`;
