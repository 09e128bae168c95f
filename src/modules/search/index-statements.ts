import { Prisma } from '../../database/clients';
import { WORD_MARK } from '../../event/mark-words';
import { COLUMN_FIELDS, columnOf, LAYOUT } from '../../store/columns/column-fields';
import { IN_BOUNDS, withBounds } from '../../store/rows/event-rows';
import { selectedSql } from '../../store/rows/lifted-sql';
import { singleOf } from '../../store/words/index-words';
import { BYTES_OF_WORDS, COLUMNS_OF_WORDS, TEXT_OF_WORDS } from '../../store/words/search-sql';

const COLUMNS = COLUMN_FIELDS.map(columnOf);

const HOURS = withBounds(
  Prisma.raw('SELECT o.hour AS lo, o.hour + 1 AS hi FROM unnest($2::int[]) AS o(hour)'),
);

const listOf = (value: string, name: string) => `json_agg(${value}) FILTER (WHERE e.fits)::text AS ${name}`;

/**
 * Events of hours after a record, as JSON of their texts, times and columns in the order of their records: at most `limit`
 * of each hour, and as many as have `$4` bytes of texts. The first event of an hour that is read alone is among them
 * whatever its size; else an hour may have none. `ended`: these are all that were left of the hour.
 * $1 tenant, $2 hours, $3 the record, $4 bytes of each hour. Hour by hour: without the OFFSET PostgreSQL may join the
 * hours with all events the tenant has. The texts are made of the events that fit: a thousand events may have a gigabyte.
 */
export const readEvents = (limit: number): string => `
WITH span AS MATERIALIZED (${HOURS.text})
SELECT h.lo AS hour, r.* FROM span h CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE e.fits)::int AS n, count(*) < ${limit} AND bool_and(e.fits) AS ended,
    max(e.record_id::text COLLATE "C") FILTER (WHERE e.fits) AS last, ${listOf(TEXT_OF_WORDS, 'texts')},
    ${listOf('left(e.record_id::text, 13)', 'times')}, ${COLUMNS.map((column) => listOf(`e.${column}`, column)).join(', ')} FROM (
    SELECT e.*, sum(${BYTES_OF_WORDS}) OVER read <= $4::int
      OR cardinality($2::int[]) = 1 AND row_number() OVER read = 1 AS fits FROM (${nextEvents(limit)}) e
      WINDOW read AS (ORDER BY e.record_id ROWS UNBOUNDED PRECEDING)) e OFFSET 0) r
WHERE r.ended IS NOT NULL ORDER BY h.lo`;

const FURTHER = COLUMNS_OF_WORDS.filter((column) => !COLUMNS.includes(column)).map((column) => `e.${column}`);

const nextEvents = (limit: number): string => `
SELECT ${['e.record_id', ...FURTHER, ...COLUMN_FIELDS.map(selectedSql)].join(', ')} FROM audit_event e
WHERE e.tenant_id = $1::int AND ${IN_BOUNDS.text} AND e.record_id > $3::uuid ORDER BY e.record_id LIMIT ${limit}`;

/** A list of words is one text, because no word contains the mark. An array would be far more work on the whole way. */
const list = (parameter: string) => `string_to_array(nullif(${parameter}, ''), '${WORD_MARK}')`;
export const toList = (words: readonly string[]): string => words.join(WORD_MARK);

/** SQL: whether a segment `s` lacks columns that this release makes. */
export const LACKS_COLUMNS = `(s.times IS NULL OR s.layout < ${LAYOUT})`;

/** $1 tenant, $2 number of hours, newest first. These hours have not changed for a long time. */
export const INDEX_AGAIN = `
INSERT INTO audit_unindexed (tenant_id, hour, changed_at)
SELECT t.tenant_id, o.hour, statement_timestamp() - interval '2 minutes' FROM tenant t CROSS JOIN (
  SELECT s.hour FROM audit_segment s WHERE s.tenant_id = $1::int AND ${LACKS_COLUMNS} ORDER BY s.hour DESC LIMIT $2::int) o
WHERE t.tenant_id = $1::int
ON CONFLICT (tenant_id, hour) DO NOTHING`;

/** $1 tenant, $2 list of words, $3 hours, $4 counts. */
export const PUT_WORDS = `
INSERT INTO audit_word (tenant_id, word, hour, n)
SELECT t.tenant_id, w.word, w.hour, w.n
FROM tenant t CROSS JOIN unnest(${list('$2')}, $3::int[], $4::int[]) AS w(word, hour, n) WHERE t.tenant_id = $1::int
ORDER BY w.word, w.hour`;

/** $1 tenant, $2 version, $3 number of hours, newest first. Releases before gave hours no version. */
export const GIVE_VERSION = `
UPDATE audit_segment s SET version = $2::uuid WHERE s.tenant_id = $1::int AND s.hour IN (
  SELECT o.hour FROM audit_segment o WHERE o.tenant_id = $1::int AND o.version IS NULL ORDER BY o.hour DESC LIMIT $3::int)`;

/**
 * $1 tenant, $2 hours, $3 counts of events, $4 list of single words, $5 their hours, $6 version, $7 times, from $8 on the
 * columns.
 */
export const PUT_SEGMENTS = `
INSERT INTO audit_segment (tenant_id, hour, n, singles, layout, version, times, ${COLUMNS.join(', ')})
SELECT t.tenant_id, h.hour, h.n, coalesce(s.singles, '{}'), ${LAYOUT}, $6::uuid, h.times, ${COLUMNS.map((column) => `h.${column}`).join(', ')}
FROM tenant t CROSS JOIN unnest($2::int[], $3::int[], $7::text[], ${COLUMNS.map((_, i) => `$${8 + i}::text[]`).join(', ')})
  AS h(hour, n, times, ${COLUMNS.join(', ')}) LEFT JOIN (
  SELECT w.hour, array_agg(${singleOf('$1::int', 'w.word')}) AS singles
  FROM unnest(${list('$4')}, $5::int[]) AS w(word, hour) GROUP BY w.hour) s ON s.hour = h.hour
WHERE t.tenant_id = $1::int`;
