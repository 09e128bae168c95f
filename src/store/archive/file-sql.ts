import {
  COLUMN_OF,
  FIELD_NAMES,
  LIFTED_NAMES,
  LIST_FIELDS,
  STATEMENT_PREVIEW,
  toSnakeCase,
} from '../../event/fields';
import { markedSql } from '../bytes/large-statements';
import { JOINED_COLUMNS } from '../log/arrivals/row-text';
import { storedCharsFor } from '../rows/stored-text';
import { literal } from './duck-filter';
import { fileFieldSql } from './layout';
import type { Stretch, TenantFiles } from './questions';

/** SQL of DuckDB: what is read of the events `e` of files, and of which. */

const textOf = (column: string) =>
  column === 'record_id' ? 'e.record_id::VARCHAR AS record_id' : `e.${column}`;
/** The event time has no column in rows: the record id holds it. */
const columnsOf = (fields: readonly (typeof FIELD_NAMES)[number][]) =>
  fields.filter((name) => name !== 'eventTime').map((name) => textOf(COLUMN_OF[name]));
export const SIZE = '(strlen(e.statement) + strlen(e.additional))::DOUBLE AS size';
const LIFTED = LIFTED_NAMES.map((name) => `${fileFieldSql(name)} AS ${COLUMN_OF[name]}`);
/** The lifted fields as one text, which is read faster than eight. */
export const liftedText = (boundary: string) =>
  `concat_ws(${literal(boundary)}, ${LIFTED_NAMES.map(fileFieldSql).join(', ')}) AS lifted`;
export const LIST = [
  ...columnsOf(LIST_FIELDS),
  ...LIFTED,
  `left(e.statement, ${storedCharsFor(STATEMENT_PREVIEW.charsMax)}) AS ${toSnakeCase(STATEMENT_PREVIEW.name)}`,
].join(', ');
const STATEMENT = `e.${COLUMN_OF.statement}`;
const WHOLE = [...columnsOf(FIELD_NAMES), 'e.additional'];
export const wholeWith = (mark: string | null) =>
  WHOLE.map((column) => (column === STATEMENT ? `${marked(mark)} AS ${COLUMN_OF.statement}` : column)).join(
    ', ',
  );
/** Values as PostgreSQL writes them. */
export const joined = (boundary: string, mark: string | null = null) => {
  const values = JOINED_COLUMNS.map((column) => {
    if (column === COLUMN_OF.succeeded) return `CASE WHEN e.succeeded THEN 't' ELSE 'f' END`;
    return column === COLUMN_OF.statement ? marked(mark) : `e.${column}`;
  });
  return `concat_ws(${literal(boundary)}, '', ${values.join(', ')}) AS text`;
};
/** A statement, or the mark of a large one. */
const marked = (mark: string | null) =>
  mark === null ? STATEMENT : `(${markedSql({ alias: 'e', bytes: 'strlen', chars: 'length', mark })})`;
export const table = ({ tenantId, paths }: TenantFiles) =>
  `(SELECT * FROM read_parquet([${paths.map(literal).join(', ')}]) WHERE tenant_id = ${Math.trunc(tenantId)}) e`;

/** The outer bounds stand first: by them DuckDB passes over groups of rows. */
export function within(stretches: readonly Stretch[]): string {
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (!first || !last) return 'false';
  const one = ({ from, to }: Stretch) =>
    `e.record_id >= ${literal(from)}::UUID AND e.record_id < ${literal(to)}::UUID`;
  const all = joinedStretches(stretches);
  const outer = one({ from: first.from, to: last.to });
  return all.length === 1
    ? `(${outer})`
    : `(${outer} AND (${all.map((each) => `(${one(each)})`).join(' OR ')}))`;
}

function joinedStretches(stretches: readonly Stretch[]): Stretch[] {
  const all: Stretch[] = [];
  for (const stretch of stretches) {
    const last = all.at(-1);
    if (last?.to === stretch.from) all[all.length - 1] = { from: last.from, to: stretch.to };
    else all.push(stretch);
  }
  return all;
}
