import { Prisma } from '../../database/clients';
import type { EachTenant } from '../../database/each-tenant';
import type { TimeRange } from '../../event/query';
import {
  cutRange,
  DIMENSIONS,
  type Dimension,
  inBuckets,
  KEYS,
  type Pieces,
  within,
} from '../../store/counts/dimensions';
import { countedSegments, spansOf } from '../../store/counts/segments';
import { whereInRange } from '../../store/rows/event-rows';

/** Counts over a time range, in one statement: sums of whole buckets, and events counted at the two edges. */
export function summaryStatement(each: EachTenant, range: TimeRange): Prisma.Sql {
  const pieces = cutRange(range, true);
  return Prisma.sql`
    SELECT s.total, s.ok, l.latest, d.n AS databases, p.n AS principals
    FROM (SELECT coalesce(sum(n), 0)::float8 AS total, coalesce(sum(ok), 0)::float8 AS ok FROM (${each(
      (tenant) => countedSegments({ filters: [], group: null, outcome: null }, pieces, tenant),
    )}) u) s,
    (SELECT max(r.record_id::text) AS latest FROM (${each(
      (tenant) => Prisma.sql`SELECT e.record_id FROM audit_event e
        WHERE e.tenant_id = ${tenant} AND ${whereInRange(range)} ORDER BY e.record_id DESC LIMIT 1`,
    )}) r) l,
    (${distinct(each, DIMENSIONS.database, pieces)}) d,
    (${distinct(each, DIMENSIONS.principal, pieces)}) p`;
}

/**
 * The number of values of a dimension that occur: one lookup in the counts for each value, not for each bucket. Without
 * the OFFSET PostgreSQL may join the values with all counts by the hour that the tenant has. The form for
 * several nodes stays without it.
 */
function distinct(each: EachTenant, dimension: Dimension, pieces: Pieces): Prisma.Sql {
  const apart = Prisma.raw(each.isDistributed ? '' : 'OFFSET 0');
  const column = Prisma.raw(dimension.column);
  const spans = spansOf(pieces);
  return Prisma.sql`SELECT count(DISTINCT nullif(o.value, ''))::float8 AS n FROM (${each((tenant) => {
    const unfolded = spans.map(
      ([, span]) => Prisma.sql`SELECT x.${column} AS value FROM audit_delta x
        WHERE x.tenant_id = ${tenant} AND ${within('x.hour', span)}`,
    );
    const direct = pieces.direct.map(
      (range) => Prisma.sql`SELECT e.${column} AS value FROM audit_event e
        WHERE e.tenant_id = ${tenant} AND ${whereInRange(range)}`,
    );
    const folded = spans.map(
      ([{ grain, hours }, span]) => Prisma.sql`SELECT m.value FROM audit_dim m
        WHERE m.tenant_id = ${tenant} AND m.kind = ${dimension.kind}::smallint AND EXISTS (
          SELECT FROM audit_count c WHERE c.tenant_id = ${tenant} AND c.grain = ${grain}::smallint
            AND ${only(dimension)} AND c.n > 0 AND ${within('c.bucket', inBuckets(span, hours))} ${apart})`,
    );
    const all = [...folded, ...unfolded, ...direct];
    return all.length > 0 ? Prisma.join(all, ' UNION ALL ') : Prisma.sql`SELECT '' AS value`;
  })}) o`;
}

const only = (dimension: Dimension) =>
  Prisma.raw(
    KEYS.map(({ key }) => (key === dimension.key ? `c.${key} = m.dim_id` : `c.${key} = 0`)).join(' AND '),
  );
