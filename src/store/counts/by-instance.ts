import { Prisma } from '../../database/clients';
import type { EachTenant } from '../../database/each-tenant';
import { type Counted, DIMENSIONS, filteredValue, HOURS_PER_DAY, type HourSpan, within } from './dimensions';

/**
 * Counts by instance are rows of `audit_count` too. Their `a` is negative and holds two numbers, the instance's and the
 * action's (0: all actions). A build that does not count by instance asks for `a` from 0 on, so it sees none of these
 * rows, but it removes them with everything else of a week (`docs/decisions/0017`).
 */
const ACTIONS = 65_536;
/** Larger numbers do not fit into `a`: days with such values stay uncounted by instance. */
export const INSTANCE_MAX = 32_767;
export const ACTION_MAX = ACTIONS - 1;

/**
 * The `a` of one row for each day, with the number of the day's events that are counted by instance. A day is counted
 * by instance when this number equals the day's count. The two differ only if events were folded without their
 * instance. Removed events are subtracted from both, so the two become equal again only when the day is counted anew
 * (`fill-instances.ts`).
 */
export const COUNTED_BY_INSTANCE = -1;

/** SQL: the `a` of an instance's number and an action's. */
export const keyOf = (instance: string, action: string): string => `-(${instance} * ${ACTIONS} + ${action})`;

/** SQL: the number of a day's events that are not counted by instance, from rows `c` of both counts. */
export const UNCOUNTED = 'sum(CASE c.a WHEN 0 THEN c.n ELSE -c.n END)';
/** SQL: the condition for the rows of `audit_count c` that `UNCOUNTED` needs. */
export const BOTH_COUNTS = `c.grain = 2 AND c.a IN (0, ${COUNTED_BY_INSTANCE}) AND c.d = 0 AND c.p = 0`;

/** SQL: finds a row where the numbers of tenant $1 have run out, so that its days stay uncounted by instance. */
export const NO_MORE_NUMBERS = `
SELECT FROM audit_dim m WHERE m.tenant_id = $1::int
  AND ((m.kind = ${DIMENSIONS.instance.kind} AND m.dim_id > ${INSTANCE_MAX})
    OR (m.kind = ${DIMENSIONS.action.kind} AND m.dim_id > ${ACTION_MAX}))`;

/**
 * SQL: the part `open` of a statement: days of a span that are not counted by instance, each with its hours `[lo, hi)`.
 * A day that is open for one of several tenants is open for all of them, because segments must not overlap.
 */
export function openDays(each: EachTenant, span: HourSpan): Prisma.Sql {
  const days = {
    from: span.from === null ? null : Math.floor(span.from / HOURS_PER_DAY),
    to: span.to === null ? null : Math.ceil(span.to / HOURS_PER_DAY),
  };
  const hours = {
    from: days.from === null ? null : days.from * HOURS_PER_DAY,
    to: days.to === null ? null : days.to * HOURS_PER_DAY,
  };
  const perDay = Prisma.raw(String(HOURS_PER_DAY));
  const ofTenant = (tenant: Prisma.Sql) => Prisma.sql`
    SELECT c.bucket AS day FROM audit_count c
    WHERE c.tenant_id = ${tenant} AND ${Prisma.raw(BOTH_COUNTS)} AND ${within('c.bucket', days)}
    GROUP BY c.bucket HAVING ${Prisma.raw(UNCOUNTED)} <> 0
    UNION ALL
    SELECT x.hour / ${perDay} FROM audit_delta x
    WHERE x.tenant_id = ${tenant} AND ${within('x.hour', hours)} AND ${Prisma.raw(`x.${DIMENSIONS.instance.column}`)} IS NULL`;
  return Prisma.sql`open AS MATERIALIZED (
    SELECT o.day * ${perDay} AS lo, o.day * ${perDay} + ${perDay} AS hi FROM (${each(ofTenant)}) o GROUP BY o.day)`;
}

/** SQL: the `a` of the counts that are asked for, with the value (`v`) that they are grouped by. */
export function instanceKeys(counted: Counted, tenant: Prisma.Sql): Prisma.Sql {
  const { action, instance } = DIMENSIONS;
  const [ofAction, ofInstance] = [filteredValue(counted, action), filteredValue(counted, instance)];
  const isByAction = ofAction !== null || counted.group === action;
  const v = counted.group === instance ? 'i.value' : counted.group === action ? 'a.value' : `''::text`;
  const actions = Prisma.sql`JOIN audit_dim a ON a.tenant_id = ${tenant} AND a.kind = ${action.kind}::smallint
      AND a.dim_id <= ${ACTION_MAX}::int AND ${ofAction === null ? Prisma.sql`true` : Prisma.sql`a.value = ${ofAction}`}`;
  return Prisma.sql`
    SELECT ${Prisma.raw(`${keyOf('i.dim_id', isByAction ? 'a.dim_id' : '0')} AS a, ${v} AS v`)}
    FROM audit_dim i ${isByAction ? actions : Prisma.empty}
    WHERE i.tenant_id = ${tenant} AND i.kind = ${instance.kind}::smallint AND i.dim_id <= ${INSTANCE_MAX}::int
      AND ${ofInstance === null ? Prisma.sql`true` : Prisma.sql`i.value = ${ofInstance}`}`;
}

/** SQL: the `a` of the counts of all events of an instance. */
export const keyOfInstance = (tenant: Prisma.Sql, value: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`SELECT ${Prisma.raw(keyOf('m.dim_id', '0'))} FROM audit_dim m WHERE m.tenant_id = ${tenant}
    AND m.kind = ${DIMENSIONS.instance.kind}::smallint AND m.dim_id <= ${INSTANCE_MAX}::int AND m.value = ${value}`;
