import { Prisma } from '../../database/clients';
import { COLUMN_OF, SEARCHED_FIELDS } from '../../event/fields';
import { WORD_MARK } from '../../event/mark-words';
import type { SearchTerm } from '../../event/search';
import { FIELD_BORDER, MARK_STAND_IN, needleOf } from '../../event/search-terms';
import { toStored, UNUSED } from '../rows/stored-text';

/**
 * Plain comparisons, not LIKE: nothing in the text is a pattern. strpos compares from the end of what it looks for. A
 * whole word ends with a mark, which the text has once for each word, so the time grows with the text alone. A part of
 * a word has no such end, and strpos may compare all of it at each character. There, a search in bytes replaces strpos,
 * because it compares in the processor's widest steps. With 512 characters and a text made to match most of them, it
 * took a tenth to a hundredth of the time.
 */
export function conditionOf(term: SearchTerm): Prisma.Sql {
  if (term.kind === 'word') return Prisma.sql`strpos(e.search_text, ${toStored(needleOf(term))}) > 0`;
  return phraseIn(EVERYTHING, term);
}

const ALIKE = new RegExp(`[${WORD_MARK}${MARK_STAND_IN}]`, 'g');
const COLUMNS = SEARCHED_FIELDS.map((name) => `e.${COLUMN_OF[name]}`).join(', ');
const EVERYTHING = { text: 'e.search_text', columns: COLUMNS };

/** SQL: a searchable text in which a phrase is looked for, and the columns that the text was made of. */
interface SearchedText {
  readonly text: string;
  readonly columns: string;
}

/** The last part of a searchable text is the statement's, where the event has one. */
const IN_STATEMENT: SearchedText = {
  text: `split_part(e.search_text, '${FIELD_BORDER}', -1)`,
  columns: 'e.statement',
};

/** Whether the statement holds a phrase. */
export const statementHolds = (text: string): Prisma.Sql =>
  Prisma.sql`(e.statement <> '' AND ${phraseIn(IN_STATEMENT, { kind: 'phrase', text })})`;

function phraseIn(searched: SearchedText, term: SearchTerm): Prisma.Sql {
  const needle = toStored(needleOf(term));
  const holds = Prisma.sql`position(convert_to(${needle}::text, 'UTF8') IN convert_to(${Prisma.raw(searched.text)}, 'UTF8')) > 0`;
  const exactly = tellingApart(term, needle, searched);
  return exactly ? Prisma.sql`${holds} AND ${exactly}` : holds;
}

/**
 * In a searchable text the word mark and its stand-in are one character. For a phrase with either of them, the
 * condition tells the two apart again by the event's own texts, which hold them in the same order.
 * @param needle the phrase as the searchable text holds it
 * @returns null for a phrase without them, which is nearly every one
 */
function tellingApart(
  { text }: SearchTerm,
  needle: string,
  searched: SearchedText = EVERYTHING,
): Prisma.Sql | null {
  const given = text.match(ALIKE);
  if (!given) return null;
  let n = 0;
  const wanted = needle.replaceAll(MARK_STAND_IN, () => (given[n++] === WORD_MARK ? UNUSED : MARK_STAND_IN));
  return Prisma.sql`strpos((
    SELECT string_agg(p.piece || CASE c.own WHEN ${WORD_MARK} THEN ${UNUSED} ELSE coalesce(c.own, '') END, '' ORDER BY p.n)
    FROM unnest(string_to_array(${Prisma.raw(searched.text)}, ${MARK_STAND_IN})) WITH ORDINALITY p(piece, n)
    LEFT JOIN unnest(string_to_array(regexp_replace(concat(${Prisma.raw(searched.columns)}), ${`[^${WORD_MARK}${MARK_STAND_IN}]`}, '', 'g'), NULL))
      WITH ORDINALITY c(own, n) ON c.n = p.n), ${wanted}) > 0`;
}
