import { Prisma } from '../../database/clients';
import type { TimeRange } from '../../event/query';
import { whereInRange } from '../event-where';
import { type Counted, dimIdOf, groupDimension, onCounts, onValues } from './dimensions';
import { HOURS_PER_DAY, type HourSpan, inBuckets, type Pieces } from './pieces';
import { hourOf, within } from './scope';

/**
 * Segments are stretches of events in their order: the value they are grouped by (`v`), a span of hours [lo, hi),
 * how many events (`n`) and how many of them succeeded (`ok`). Counts not folded yet are read with the folded ones.
 */
export function segmentsOf(counted: Counted, pieces: Pieces, tenant: Prisma.Sql): Prisma.Sql {
  const sources = [
    ...(pieces.days
      ? [folded(counted, DAY, pieces.days, tenant), unfolded(counted, DAY, pieces.days, tenant)]
      : []),
    ...pieces.hours.flatMap((span) => [
      folded(counted, HOUR, span, tenant),
      unfolded(counted, HOUR, span, tenant),
    ]),
    ...pieces.direct.map((range) => counting(counted, range, tenant)),
  ];
  const none = Prisma.sql`SELECT ${groupValueOf(counted, 'none')}, 0 AS lo, 0 AS hi, 0::bigint AS n, 0::bigint AS ok WHERE false`;
  return sources.length === 0 ? none : ofOutcome(counted, Prisma.join(sources, ' UNION ALL '));
}

function ofOutcome({ outcome }: Counted, segments: Prisma.Sql): Prisma.Sql {
  if (outcome === null) return segments;
  const [n, ok] = outcome ? ['s.ok', 's.ok'] : ['s.n - s.ok', '0::bigint'];
  return Prisma.sql`SELECT s.v, s.lo, s.hi, ${Prisma.raw(`${n} AS n, ${ok} AS ok`)} FROM (${segments}) s`;
}

/** The hours of one day's segment `h`, with their counts. */
export function hoursWithin(counted: Counted, tenant: Prisma.Sql): Prisma.Sql {
  const dimension = groupDimension(counted);
  const ofCount = dimension
    ? Prisma.sql`AND ${Prisma.raw(`c.${dimension.key}`)} = (${dimIdOf(dimension, tenant, Prisma.sql`h.v`)})`
    : Prisma.empty;
  const ofDelta = dimension ? Prisma.sql`AND ${Prisma.raw(`x.${dimension.column}`)} = h.v` : Prisma.empty;
  return Prisma.sql`
    SELECT c.bucket AS hour, c.n, c.ok FROM audit_count c
    WHERE c.tenant_id = ${tenant} AND c.grain = 1 AND ${onCounts(counted, tenant)} ${ofCount}
      AND c.bucket >= h.lo AND c.bucket < h.hi
    UNION ALL
    SELECT x.hour, x.n, x.ok FROM audit_delta x
    WHERE x.tenant_id = ${tenant} AND ${onValues(counted, 'x')} ${ofDelta} AND x.hour >= h.lo AND x.hour < h.hi`;
}

interface Grain {
  readonly grain: number;
  readonly hours: number;
}
const HOUR: Grain = { grain: 1, hours: 1 };
const DAY: Grain = { grain: 2, hours: HOURS_PER_DAY };

function folded(counted: Counted, { grain, hours }: Grain, span: HourSpan, tenant: Prisma.Sql): Prisma.Sql {
  const dimension = groupDimension(counted);
  const join = dimension
    ? Prisma.sql`JOIN audit_dim g ON g.tenant_id = ${tenant} AND g.kind = ${dimension.kind}::smallint
        AND g.dim_id = ${Prisma.raw(`c.${dimension.key}`)}`
    : Prisma.empty;
  const size = Prisma.raw(String(hours));
  return Prisma.sql`
    SELECT ${groupValueOf(counted, 'count')}, c.bucket * ${size} AS lo, (c.bucket + 1) * ${size} AS hi,
      c.n::bigint AS n, c.ok::bigint AS ok
    FROM audit_count c ${join}
    WHERE c.tenant_id = ${tenant} AND c.grain = ${grain}::smallint AND ${onCounts(counted, tenant)}
      AND ${within('c.bucket', inBuckets(span, hours))}`;
}

function unfolded(counted: Counted, { hours }: Grain, span: HourSpan, tenant: Prisma.Sql): Prisma.Sql {
  const lo = Prisma.raw(hours === 1 ? 'x.hour' : `x.hour / ${hours} * ${hours}`);
  return Prisma.sql`
    SELECT ${groupValueOf(counted, 'x')}, ${lo} AS lo, ${lo} + ${Prisma.raw(String(hours))} AS hi,
      sum(x.n) AS n, sum(x.ok) AS ok
    FROM audit_delta x WHERE x.tenant_id = ${tenant} AND ${onValues(counted, 'x')} AND ${within('x.hour', span)}
    GROUP BY 1, 2`;
}

function counting(counted: Counted, range: TimeRange, tenant: Prisma.Sql): Prisma.Sql {
  const hour = Prisma.raw(hourOf('e.record_id'));
  return Prisma.sql`
    SELECT f.v, f.lo, f.lo + 1 AS hi, f.n, f.ok FROM (
      SELECT ${groupValueOf(counted, 'e')}, ${hour} AS lo, count(*) AS n, count(*) FILTER (WHERE e.succeeded) AS ok
      FROM audit_event e
      WHERE e.tenant_id = ${tenant} AND ${whereInRange(range)} AND ${onValues(counted, 'e')} GROUP BY 1, 2) f`;
}

/** The value a source's rows are grouped by; the outcome is told apart later, since every row counts both. */
function groupValueOf(counted: Counted, source: 'count' | 'x' | 'e' | 'none'): Prisma.Sql {
  const dimension = groupDimension(counted);
  if (!dimension || source === 'none') return Prisma.raw(`''::text AS v`);
  return Prisma.raw(source === 'count' ? 'g.value AS v' : `${source}.${dimension.column} AS v`);
}
