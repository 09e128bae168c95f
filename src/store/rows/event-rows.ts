import { Prisma } from '../../database/clients';
import { HOUR_MS } from '../../event/event-time';
import {
  type AnyField,
  type AuditEventListItem,
  COLUMN_OF,
  DETAIL_FIELDS,
  FIELD_NAMES,
  type FieldName,
  isLifted,
  LIFTED_NAMES,
  LIST_FIELDS,
  type LiftedName,
  STATEMENT_PREVIEW,
  toSnakeCase,
} from '../../event/fields';
import { FILTERS } from '../../event/filters';
import { statedFor } from '../../event/lifted';
import { type AuditEventFilter, type AuditEventQuery, givenFilters, type TimeRange } from '../../event/query';
import { recordIdFloor } from '../../event/record-id';
import { statementOrMark } from '../bytes/large-statements';
import { holdsAll } from '../words/search-sql';
import type { StoredAuditEvent } from './audit-event-reader';
import { columnsFor } from './event-values';
import { expressionSql } from './expression-sql';
import { selectedSql } from './lifted-sql';
import { mapperOf } from './row-mapper';
import { fromStored, storedCharsFor, toStored } from './stored-text';

/** A row as a statement returns it, by column name. */
export type Row = Readonly<Record<string, unknown>>;

const columnsOf = (names: readonly FieldName[]) =>
  // The event time has no column: the record id holds it.
  names.filter((name) => name !== 'eventTime').map((name) => `e.${COLUMN_OF[name]}`);

const PREVIEW_COLUMN = toSnakeCase(STATEMENT_PREVIEW.name);
const { charsMax } = STATEMENT_PREVIEW;
/** Selects stored characters, of which two may stand for one. The preview is cut to its length after reading. */
const PREVIEW = `left(e.statement, ${storedCharsFor(charsMax)}) AS ${PREVIEW_COLUMN}`;

const LIST_COLUMNS = [...columnsOf(LIST_FIELDS), PREVIEW];
const [OWN_COLUMNS, ALL_COLUMNS] = [LIST_COLUMNS, [...LIST_COLUMNS, ...LIFTED_NAMES.map(selectedSql)]].map(
  (columns) => Prisma.raw(columns.join(', ')),
) as [Prisma.Sql, Prisma.Sql];
/** The columns of the rows of a list. */
export const listColumns = ({ hasLifted }: Pick<AuditEventQuery, 'hasLifted'>): Prisma.Sql =>
  hasLifted ? ALL_COLUMNS : OWN_COLUMNS;

const WHOLE_COLUMNS = [...new Set([...columnsOf(DETAIL_FIELDS), ...columnsOf(['sourceType'])])];
export const DETAIL_COLUMNS = Prisma.raw([...WHOLE_COLUMNS, 'e.additional'].join(', '));
const marked = (columns: readonly string[], additional: string) =>
  Prisma.raw(
    [...columns, additional]
      .map((column) => (column === 'e.statement' ? `${statementOrMark('e')} AS statement` : column))
      .join(', '),
  );
/** The same, with marks in place of large statements (`LargeStatements`). */
export const MARKED_COLUMNS = marked(WHOLE_COLUMNS, 'e.additional');

/** `additional` with no more than these lifted fields are read from: most of it takes long to read. */
function statedSql(lifted: readonly LiftedName[]): string {
  const keys = [...new Set(lifted.flatMap(statedFor))];
  const values = keys.map((key) => `'${key}', e.additional->'${key}'`).join(', ');
  return `jsonb_strip_nulls(jsonb_build_object(${values})) AS additional`;
}

/** The same, with no more of `additional` than is read for these lifted fields. */
export const markedColumns = (lifted: readonly LiftedName[]): Prisma.Sql =>
  marked(WHOLE_COLUMNS, statedSql(lifted));

/** The same, with no more than `valuesSql` and the order of events take. */
export const valueColumns = (fields: readonly AnyField[]): Prisma.Sql =>
  marked(
    [...new Set(['tenant_id', ...columnsFor(fields)])]
      .filter((column) => column !== 'additional')
      .map((column) => `e.${column}`),
    statedSql(fields.filter(isLifted)),
  );

/** SQL: the values of an event (`EventValues`), of a row `r` of `valueColumns`. */
export const valuesSql = (fields: readonly AnyField[]): Prisma.Sql =>
  Prisma.raw(
    `json_build_array(${columnsFor(fields)
      .map((column) => `r.${column}`)
      .join(', ')})`,
  );

/**
 * SQL: how many bytes the statement and the additional values of an event have once they are read. A megabyte of one letter is
 * stored in ten kilobytes: only such values are read for their length. What is joined with nothing is no longer compressed.
 */
export const EVENT_BYTES = `(octet_length(e.statement) + CASE WHEN pg_column_compression(e.additional) IS NULL
  THEN pg_column_size(e.additional) ELSE pg_column_size(e.additional || '{}'::jsonb) END)`;

const PREVIEWS = { preview };
const BESIDE = { [STATEMENT_PREVIEW.name]: `preview(row.${PREVIEW_COLUMN})` };
const LIFTED = Object.fromEntries(LIFTED_NAMES.map((name) => [name, `text(row.${COLUMN_OF[name]})`]));
const toOwnItem = mapperOf<Row, AuditEventListItem>(LIST_FIELDS, BESIDE, PREVIEWS);
const toWholeItem = mapperOf<Row, AuditEventListItem>(LIST_FIELDS, { ...BESIDE, ...LIFTED }, PREVIEWS);
/** Makes an item of a row of `listColumns`. */
export const listItemOf = ({
  hasLifted,
}: Pick<AuditEventQuery, 'hasLifted'>): ((row: Row) => AuditEventListItem) =>
  hasLifted ? toWholeItem : toOwnItem;

/** The event of a row of `DETAIL_COLUMNS` or `MARKED_COLUMNS`. */
export const toStoredEvent = mapperOf<Row, StoredAuditEvent>(FIELD_NAMES, {
  additional: 'json(row.additional)',
});

/** Half of a character that takes two units of UTF-16. */
const SURROGATE = /[\uD800-\uDFFF]/;

function preview(stored: string): string | null {
  return previewOf(fromStored(stored));
}

/** The preview of a statement, or of its beginning. */
export function previewOf(text: string): string | null {
  if (text === '') return null;
  const head = text.slice(0, charsMax);
  if (!SURROGATE.test(head)) return head;
  let end = 0;
  for (let count = 0; count < charsMax && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** The conditions of a filter on `audit_event e`, all but the tenant's. */
export function whereOf(filter: AuditEventFilter): Prisma.Sql {
  const conditions = rangeConditions(filter);
  for (const name of givenFilters(filter)) {
    const [column, value] = [Prisma.raw(`e.${COLUMN_OF[FILTERS[name].field]}`), filter[name]];
    conditions.push(Prisma.sql`${column} = ${typeof value === 'string' ? toStored(value) : value}`);
  }
  if (filter.search.length > 0) conditions.push(holdsAll(filter.search));
  if (filter.expression) conditions.push(expressionSql(filter.expression));
  return all(conditions);
}

/** The conditions of a time range: on the record id, which begins with the time and chooses the partitions. */
export function whereInRange(range: TimeRange): Prisma.Sql {
  return all(rangeConditions(range));
}

function rangeConditions({ from, to }: TimeRange): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (from !== null) conditions.push(Prisma.sql`e.record_id >= ${recordIdFloor(from)}::uuid`);
  if (to !== null) conditions.push(Prisma.sql`e.record_id < ${recordIdFloor(to)}::uuid`);
  return conditions;
}

const all = (conditions: readonly Prisma.Sql[]) =>
  conditions.length === 0 ? Prisma.sql`true` : Prisma.join([...conditions], ' AND ');

/** SQL: the hour since 1970 a record id lies in. */
export const hourOf = (recordId: string): string => `${windowOf(recordId, HOUR_MS)}::int`;

/** SQL: the same for windows of another width. Whole milliseconds are divided, so nothing rounds up. */
export const windowOf = (recordId: string, widthMs: number): string =>
  `(('x' || translate(left(${recordId}::text, 13), '-', ''))::bit(48)::bigint / ${widthMs})`;

/** SQL: the smallest record id of an hour since 1970. */
const floorOfHour = (hour: string): string =>
  `(lpad(to_hex(${hour}::bigint * ${HOUR_MS}), 12, '0') || '80008000000000000000')::uuid`;

/**
 * SQL: spans of hours `[lo, hi)` with their bounds as record ids, `lo_id` and `hi_id`, for a MATERIALIZED CTE. Under
 * row-level security PostgreSQL uses an index only for leakproof comparisons. A comparison of two uuid columns is
 * leakproof. A comparison with a computed expression is not, so every row of a partition would be read for it.
 */
export const withBounds = (spans: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`SELECT b.*, ${Prisma.raw(`${floorOfHour('b.lo')} AS lo_id, ${floorOfHour('b.hi')} AS hi_id`)} FROM (${spans}) b`;

/** SQL: the condition that an event's record id lies within the span `h` of `withBounds`. */
export const IN_BOUNDS = Prisma.raw('e.record_id >= h.lo_id AND e.record_id < h.hi_id');
