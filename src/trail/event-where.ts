import { Prisma } from '../database/clients';
import { SEARCHED_FIELDS, toSnakeCase } from '../event/fields';
import { FILTERS, givenFilters } from '../event/filters';
import type { AuditEventFilter, TimeRange } from '../event/query';
import { recordIdFloor } from '../event/record-id';
import { MARK_STAND_IN, needleOf, type SearchTerm, WORD_MARK } from '../event/search-terms';
import { toStored, UNUSED } from './stored-text';

/** The conditions of a filter on `audit_event e`, all but the tenant's. */
export function whereOf(filter: AuditEventFilter): Prisma.Sql {
  const conditions = rangeConditions(filter);
  for (const name of givenFilters(filter)) {
    const [column, value] = [Prisma.raw(`e.${toSnakeCase(FILTERS[name].field)}`), filter[name]];
    conditions.push(Prisma.sql`${column} = ${typeof value === 'string' ? toStored(value) : value}`);
  }
  conditions.push(...filter.search.map(conditionOf));
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

/**
 * Plain comparisons, not LIKE: nothing in the text is a pattern. strpos compares from the end of what it looks for,
 * which of a whole word is a mark that stands in the text once a word: its time grows with the text alone. For parts of
 * words it may compare all of them at each character, and is replaced by the search in bytes, which does that by the
 * processor's widest steps: 512 characters against a text made to match most of them took a tenth to a hundredth.
 */
function conditionOf(term: SearchTerm): Prisma.Sql {
  const needle = toStored(needleOf(term));
  if (term.kind === 'word') return Prisma.sql`strpos(e.search_text, ${needle}) > 0`;
  const holds = Prisma.sql`position(convert_to(${needle}::text, 'UTF8') IN convert_to(e.search_text, 'UTF8')) > 0`;
  const exactly = tellingApart(term, needle);
  return exactly ? Prisma.sql`${holds} AND ${exactly}` : holds;
}

const ALIKE = new RegExp(`[${WORD_MARK}${MARK_STAND_IN}]`, 'g');
const COLUMNS = Prisma.raw(SEARCHED_FIELDS.map((name) => `e.${toSnakeCase(name)}`).join(', '));

/**
 * In a searchable text the mark of words and its stand-in are one character. A phrase with either of them is looked for
 * in that text with the two told apart again, as the event's own texts have them, which hold them in the same order.
 * @param needle as the searchable text holds the phrase
 * @returns null for a phrase without them, which is nearly every one
 */
export function tellingApart({ text }: SearchTerm, needle: string): Prisma.Sql | null {
  const given = text.match(ALIKE);
  if (!given) return null;
  let n = 0;
  const wanted = needle.replaceAll(MARK_STAND_IN, () => (given[n++] === WORD_MARK ? UNUSED : MARK_STAND_IN));
  return Prisma.sql`strpos((
    SELECT string_agg(p.piece || CASE c.own WHEN ${WORD_MARK} THEN ${UNUSED} ELSE coalesce(c.own, '') END, '' ORDER BY p.n)
    FROM unnest(string_to_array(e.search_text, ${MARK_STAND_IN})) WITH ORDINALITY p(piece, n)
    LEFT JOIN unnest(string_to_array(regexp_replace(concat(${COLUMNS}), ${`[^${WORD_MARK}${MARK_STAND_IN}]`}, '', 'g'), NULL))
      WITH ORDINALITY c(own, n) ON c.n = p.n), ${wanted}) > 0`;
}
