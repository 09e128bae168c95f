import { Prisma } from '../../database/clients';
import type { EachTenant, TenantLookup } from '../../database/each-tenant';
import type { AuditEventFilter, TimeRange } from '../../event/query';
import { hourOf, whereInRange } from '../rows/event-rows';
import { NONE, searchSegments } from '../words/search-segments';
import { instanceKeys, keyOfInstance, openDays } from './by-instance';
import {
  type Counted,
  cutRange,
  DIMENSIONS,
  dimIdOf,
  filteredValue,
  groupDimension,
  HOURS_PER_DAY,
  type HourSpan,
  inBuckets,
  isByInstance,
  isHourly,
  KEYS,
  onKeys,
  onValues,
  type Pieces,
  spanOf,
  within,
} from './dimensions';

/**
 * Segments are stretches of events in their order: the value they are grouped by (`v`), a span of hours [lo, hi), how
 * many events (`n`) and how many of them succeeded (`ok`). Counts not folded yet are read with the folded ones.
 * @param filter has only conditions that counts know
 */
export function segmentsOf(
  each: EachTenant,
  filter: AuditEventFilter,
  counted: Counted,
  pieces: Pieces = cutRange(filter, isHourly(counted)),
): Prisma.Sql {
  const span = isByInstance(counted) ? wholeSpanOf(pieces) : null;
  if (!span) return each((tenant) => countedSegments(counted, pieces, tenant));
  const ofTenant = (tenant: Prisma.Sql) =>
    instanceSegments(filter, counted, pieces, tenant, { span, of: each });
  return Prisma.sql`
    SELECT r.* FROM (WITH ${openDays(each, span)} SELECT q.* FROM (${each.dependent(ofTenant)}) q) r`;
}

/** Segments like those of `segmentsOf`, for a filter with words: hours, from the search index. */
export const wordSegmentsOf = (each: EachTenant, filter: AuditEventFilter, counted: Counted): Prisma.Sql =>
  each.dependent((tenant) => searchSegments(filter, counted, tenant, each));

/** The part of a range that is counted by whole days or hours; null: there is none. */
export const wholeSpanOf = (pieces: Pieces): HourSpan | null =>
  spanOf(spansOf(pieces).map(([, span]) => span));

/** The segments of one tenant from the counts by columns. */
export function countedSegments(counted: Counted, pieces: Pieces, tenant: Prisma.Sql): Prisma.Sql {
  const sources = [
    ...spansOf(pieces).flatMap(([grain, span]) => [
      folded(counted, grain, span, tenant),
      unfolded(counted, grain, span, tenant, Prisma.empty),
    ]),
    ...pieces.direct.map((range) => counting(counted, range, tenant)),
  ];
  return sources.length === 0 ? NONE : ofOutcome(counted, Prisma.join(sources, ' UNION ALL '));
}

/**
 * The segments of one tenant from the counts by instance. A build before 0.1.0 did not count by instance. Its days
 * that are not counted anew yet are answered by the search index or the events. This goes with 0.3.0.
 */
function instanceSegments(
  filter: AuditEventFilter,
  counted: Counted,
  pieces: Pieces,
  tenant: Prisma.Sql,
  { span, of }: { readonly span: HourSpan; readonly of: TenantLookup },
): Prisma.Sql {
  const sources = [
    ...spansOf(pieces).flatMap(([grain, each]) => [
      foldedByInstance(counted, grain, each, tenant),
      unfolded(counted, grain, each, tenant, Prisma.sql`AND ${isCounted('x.hour')}`),
    ]),
    ...pieces.direct.map((range) => counting(counted, range, tenant)),
  ];
  return Prisma.sql`
    SELECT q.* FROM (
      WITH key AS MATERIALIZED (${instanceKeys(counted, tenant)})
      ${ofOutcome(counted, Prisma.join(sources, ' UNION ALL '))}
      UNION ALL ${searchSegments(filter, counted, tenant, of, span)}) q`;
}

/** SQL: whether an hour is in no open day. */
const isCounted = (hour: string): Prisma.Sql =>
  Prisma.raw(`NOT EXISTS (SELECT FROM open o WHERE o.lo <= ${hour} AND o.hi > ${hour})`);

function ofOutcome({ outcome }: Counted, segments: Prisma.Sql): Prisma.Sql {
  if (outcome === null) return segments;
  const [n, ok] = outcome ? ['s.ok', 's.ok'] : ['s.n - s.ok', '0::bigint'];
  return Prisma.sql`SELECT s.v, s.lo, s.hi, ${Prisma.raw(`${n} AS n, ${ok} AS ok`)} FROM (${segments}) s`;
}

/**
 * The hours of one day's segment `h`, with their counts. A day's segment always comes from counts, also by instance.
 */
export function hoursWithin(counted: Counted, tenant: Prisma.Sql): Prisma.Sql {
  const group = groupDimension(counted);
  const ofDelta = group ? Prisma.sql`AND ${Prisma.raw(`x.${group.column}`)} = h.v` : Prisma.empty;
  return Prisma.sql`
    SELECT c.bucket AS hour, c.n, c.ok FROM audit_count c
    WHERE c.tenant_id = ${tenant} AND c.grain = 1 AND ${onHours(counted, tenant)}
      AND c.bucket >= h.lo AND c.bucket < h.hi
    UNION ALL
    SELECT x.hour, x.n, x.ok FROM audit_delta x
    WHERE x.tenant_id = ${tenant} AND ${onValues(counted, 'x')} ${ofDelta} AND x.hour >= h.lo AND x.hour < h.hi`;
}

function onHours(counted: Counted, tenant: Prisma.Sql): Prisma.Sql {
  const group = groupDimension(counted);
  const value = group ? Prisma.sql`h.v` : null;
  if (isByInstance(counted)) {
    const [, ...others] = KEYS;
    const instance = value ?? Prisma.sql`${filteredValue(counted, DIMENSIONS.instance)}`;
    return Prisma.sql`c.a = (${keyOfInstance(tenant, instance)}) AND ${onKeys(counted, others, tenant)}`;
  }
  const keys = onKeys(counted, KEYS, tenant);
  return group && value
    ? Prisma.sql`${keys} AND ${Prisma.raw(`c.${group.key}`)} = (${dimIdOf(group, tenant, value)})`
    : keys;
}

interface Grain {
  readonly grain: number;
  readonly hours: number;
}
const HOUR: Grain = { grain: 1, hours: 1 };
const DAY: Grain = { grain: 2, hours: HOURS_PER_DAY };

/** Spans that are counted whole, each with the width of its buckets. */
export const spansOf = ({ days, hours }: Pieces): (readonly [Grain, HourSpan])[] => [
  ...(days ? [[DAY, days] as const] : []),
  ...hours.map((span) => [HOUR, span] as const),
];

function folded(counted: Counted, { grain, hours }: Grain, span: HourSpan, tenant: Prisma.Sql): Prisma.Sql {
  const group = groupDimension(counted);
  return Prisma.sql`
    SELECT ${Prisma.raw(group ? 'g.value' : `''::text`)} AS v, ${bucketOf(hours)}
    FROM audit_count c ${joinGroup(group, tenant)}
    WHERE c.tenant_id = ${tenant} AND c.grain = ${grain}::smallint AND ${onKeys(counted, KEYS, tenant)}
      AND ${within('c.bucket', inBuckets(span, hours))}`;
}

function foldedByInstance(
  counted: Counted,
  { grain, hours }: Grain,
  span: HourSpan,
  tenant: Prisma.Sql,
): Prisma.Sql {
  const [, ...others] = KEYS;
  const group = others.find((dimension) => dimension === counted.group) ?? null;
  return Prisma.sql`
    SELECT ${Prisma.raw(group ? 'g.value' : 'k.v')} AS v, ${bucketOf(hours)}
    FROM key k JOIN audit_count c ON c.a = k.a ${joinGroup(group, tenant)}
    WHERE c.tenant_id = ${tenant} AND c.grain = ${grain}::smallint AND ${onKeys(counted, others, tenant)}
      AND ${within('c.bucket', inBuckets(span, hours))} AND ${isCounted(`c.bucket * ${hours}`)}`;
}

const bucketOf = (hours: number): Prisma.Sql =>
  Prisma.raw(
    `c.bucket * ${hours} AS lo, (c.bucket + 1) * ${hours} AS hi, c.n::bigint AS n, c.ok::bigint AS ok`,
  );

const joinGroup = (group: ReturnType<typeof groupDimension>, tenant: Prisma.Sql): Prisma.Sql =>
  group
    ? Prisma.sql`JOIN audit_dim g ON g.tenant_id = ${tenant} AND g.kind = ${group.kind}::smallint
        AND g.dim_id = ${Prisma.raw(`c.${group.key}`)}`
    : Prisma.empty;

function unfolded(
  counted: Counted,
  { hours }: Grain,
  span: HourSpan,
  tenant: Prisma.Sql,
  besides: Prisma.Sql,
): Prisma.Sql {
  const lo = Prisma.raw(hours === 1 ? 'x.hour' : `x.hour / ${hours} * ${hours}`);
  return Prisma.sql`
    SELECT ${groupValueOf(counted, 'x')}, ${lo} AS lo, ${lo} + ${Prisma.raw(String(hours))} AS hi,
      sum(x.n) AS n, sum(x.ok) AS ok
    FROM audit_delta x
    WHERE x.tenant_id = ${tenant} AND ${onValues(counted, 'x')} AND ${within('x.hour', span)} ${besides}
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

/** The value by which a row of deltas or events is grouped. Outcomes are separated later: every row counts both. */
function groupValueOf(counted: Counted, alias: 'x' | 'e'): Prisma.Sql {
  const group = groupDimension(counted);
  return Prisma.raw(group ? `${alias}.${group.column} AS v` : `''::text AS v`);
}
