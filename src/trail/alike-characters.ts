import { Prisma } from '../database/clients';
import { SEARCHED_FIELDS, toSnakeCase } from '../event/fields';
import { MARK_STAND_IN, type SearchTerm, WORD_MARK } from '../event/search-terms';
import { UNUSED } from './stored-text';

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
