import { Prisma } from '../../database/clients';
import type { TenantLookup } from '../../database/each-tenant';
import type { FieldTerm } from '../../event/expression/expression';
import { COLUMN_OF, type NumberField } from '../../event/fields';
import type { AuditEventFilter } from '../../event/query';
import { LIMITS } from '../../limits';
import { type HourSpan, within } from '../counts/dimensions';
import { IN_BOUNDS, whereOf, windowOf, withBounds } from '../rows/event-rows';
import { fieldSql, selectedSql } from '../rows/lifted-sql';
import { toStored } from '../rows/stored-text';
import { hoursOfWord } from '../words/index-words';
import { storedHours } from '../words/search-segments';
import { type ColumnField, columnOf, type GroupField, kindOf } from './column-fields';

const named = (tenantId: number) => Prisma.sql`${tenantId}::int`;

/**
 * Hours of a tenant that have events, in order, as one text (`hours`): a row for each takes the driver ten times as long.
 * Each has its number of events, and the version of its columns if they hold; it is empty if they have none. The columns are
 * no table that is joined: for a tenant that statistics do not know yet, PostgreSQL would read all of them for each hour.
 */
export function hoursStatement(tenantId: number, span: HourSpan): Prisma.Sql {
  const tenant = named(tenantId);
  return Prisma.sql`
    SELECT string_agg(a.hour || ' ' || a.n || CASE WHEN a.held = a.n THEN ' ' || coalesce(a.version, '') ELSE '' END,
      ',' ORDER BY a.hour) AS hours
    FROM (
      SELECT u.hour, sum(u.n) AS n, max(u.held) AS held, max(u.version) AS version FROM (
        SELECT h.hour, h.n, NULL::bigint AS held, NULL::text AS version FROM (${storedHours(tenant, span)}) h
        UNION ALL SELECT c.hour, 0, c.n, c.version::text FROM audit_segment c
        WHERE c.tenant_id = ${tenant} AND c.times IS NOT NULL AND ${within('c.hour', span)}) u
      GROUP BY u.hour HAVING sum(u.n) > 0) a`;
}

/** Columns of some hours. */
export function columnsStatement(
  tenantId: number,
  hours: readonly number[],
  fields: readonly ColumnField[],
  hasTimes: boolean,
): Prisma.Sql {
  const columns = ['hour', ...(hasTimes ? ['times'] : []), ...fields.map(columnOf)];
  return Prisma.sql`SELECT ${Prisma.raw(columns.map((column) => `s.${column}`).join(', '))} FROM audit_segment s
    WHERE s.tenant_id = ${named(tenantId)} AND s.hour = ANY(${[...hours]}::int[])`;
}

/** The numbers of the values that events of some hours have (`id`), each once, and hours without the column (`hour`). */
export function valueNumbersStatement(
  tenantId: number,
  hours: readonly number[],
  field: ColumnField,
): Prisma.Sql {
  const column = Prisma.raw(`s.${columnOf(field)}`);
  const from = Prisma.sql`FROM audit_segment s
    WHERE s.tenant_id = ${named(tenantId)} AND s.hour = ANY(${[...hours]}::int[])`;
  return Prisma.sql`
    SELECT DISTINCT unnest(string_to_array(split_part(${column}, ';', 1), ','))::int AS id, NULL::int AS hour ${from}
    UNION ALL SELECT NULL::int, s.hour ${from} AND ${column} IS NULL`;
}

/** Hours in which an indexed word occurs. */
export const wordHoursStatement = (
  tenantId: number,
  key: string,
  span: Prisma.Sql,
  of: TenantLookup,
): Prisma.Sql => Prisma.sql`SELECT w.hour FROM (${hoursOfWord(key, named(tenantId), span, of)}) w`;

/** The hours of a span that have columns, but not the one of a field: as one text (`hours`) for each field, by its place. */
export function hoursWithoutStatement(
  tenantId: number,
  span: HourSpan,
  fields: readonly ColumnField[],
): Prisma.Sql {
  const parts = fields.map(
    (field, i) => Prisma.sql`SELECT ${i}::int AS field, string_agg(s.hour::text, ',') AS hours
      FROM audit_segment s WHERE s.tenant_id = ${named(tenantId)} AND ${within('s.hour', span)}
        AND s.times IS NOT NULL AND ${Prisma.raw(`s.${columnOf(field)}`)} IS NULL`,
  );
  return Prisma.join(parts, ' UNION ALL ');
}

/**
 * Numbers and values that terms may be about: `kind`, `id`, `value`. A term that folds letter case, or names a network,
 * gets all values of its field.
 */
export function termValuesStatement(tenantId: number, terms: readonly FieldTerm[]): Prisma.Sql {
  const conditions = terms.map((term) => {
    const ofKind = Prisma.sql`m.kind = ${kindOf(term.field as ColumnField)}::smallint`;
    return Prisma.sql`(${ofKind} AND ${valueCondition(term)})`;
  });
  return Prisma.sql`SELECT m.kind, m.dim_id AS id, m.value FROM audit_dim m
    WHERE m.tenant_id = ${named(tenantId)} AND (${Prisma.join(conditions, ' OR ')})`;
}

const LAST_CHARACTER = '\u{10FFFF}';

function valueCondition({ how, text, isFolded }: FieldTerm): Prisma.Sql {
  if (how === 'present') return Prisma.sql`m.value = ''`;
  if (isFolded || how === 'within') return Prisma.sql`true`;
  const wanted = toStored(text);
  return how === 'equals'
    ? Prisma.sql`m.value = ${wanted}`
    : Prisma.sql`m.value >= ${wanted} AND m.value < ${wanted + LAST_CHARACTER}`;
}

/** The values of some numbers, by their kinds. */
export function numberedValuesStatement(
  tenantId: number,
  wanted: readonly { readonly kind: number; readonly ids: readonly number[] }[],
): Prisma.Sql {
  const each = wanted.map(
    ({ kind, ids }) => Prisma.sql`SELECT m.kind, m.dim_id AS id, m.value FROM audit_dim m
      WHERE m.tenant_id = ${named(tenantId)} AND m.kind = ${kind}::smallint AND m.dim_id = ANY(${[...ids]}::int[])`,
  );
  return Prisma.join(each, ' UNION ALL ');
}

const boundsOf = (hours: readonly number[]) =>
  withBounds(Prisma.sql`SELECT o.hour AS lo, o.hour + 1 AS hi FROM unnest(${[...hours]}::int[]) AS o(hour)`);

/**
 * Reads the matching events of some hours and counts them (`n`, `ok`) by the number of their window (`w`) and by the
 * values of some fields. With `hasTimes`, each group has the milliseconds of its first and last event (`first_ms`,
 * `last_ms`), the groups of all hours are joined, and at most one more than `LIMITS.groupsCountedMax` are given.
 */
export function eventGroupsStatement(
  tenantId: number,
  hours: readonly number[],
  filter: AuditEventFilter,
  by: {
    readonly windowMs: number | null;
    readonly fields: readonly GroupField[];
    readonly hasTimes?: boolean;
    /** The exact sum of this field's numbers (`sum`, as text); null: no event of the group states one. */
    readonly sumOf?: NumberField | null;
  },
): Prisma.Sql {
  const window = by.windowMs === null ? '0' : windowOf('e.record_id', by.windowMs);
  const columns = [`${window} AS w`, ...by.fields.map(selectedSql)];
  const groups = columns.map((_, i) => i + 1).join(', ');
  const ms = `${windowOf('e.record_id', 1)}::float8`;
  const sum = by.sumOf ? `, sum(nullif(${fieldSql(by.sumOf)}, '')::numeric)::text AS sum` : '';
  const times = by.hasTimes ? `, min(${ms}) AS first_ms, max(${ms}) AS last_ms` : '';
  const ofHours = Prisma.sql`
    SELECT r.* FROM span h CROSS JOIN LATERAL (
      SELECT ${Prisma.raw(columns.join(', '))}, count(*)::float8 AS n, (count(*) FILTER (WHERE e.succeeded))::float8 AS ok${Prisma.raw(times + sum)}
      FROM audit_event e WHERE e.tenant_id = ${named(tenantId)} AND ${IN_BOUNDS} AND ${whereOf(filter)}
      GROUP BY ${Prisma.raw(groups)} OFFSET 0) r`;
  const span = Prisma.sql`WITH span AS MATERIALIZED (${boundsOf(hours)})`;
  if (!by.hasTimes) return Prisma.sql`${span} ${ofHours}`;
  const names = ['w', ...by.fields.map((field) => COLUMN_OF[field])].map((name) => `g.${name}`).join(', ');
  const sums = by.sumOf ? ', sum(g.sum::numeric)::text AS sum' : '';
  return Prisma.sql`${span}
    SELECT ${Prisma.raw(names)}, sum(g.n) AS n, sum(g.ok) AS ok, min(g.first_ms) AS first_ms,
      max(g.last_ms) AS last_ms${Prisma.raw(sums)}
    FROM (${ofHours}) g GROUP BY ${Prisma.raw(names)} LIMIT ${LIMITS.groupsCountedMax + 1}::int`;
}
