import { type SearchTerm, WORD_MARK, wholeWordsOf } from '../../audit-event/search-terms';
import { Prisma } from '../database';
import { toStored } from '../stored-text';

/** Words are indexed by their first characters: whole statements without a blank must not break an index. */
const KEY_CHARS = 64;

/** SQL: the distinct words of `e.search_text`, as the index knows them. Between two marks stands every second piece. */
export const DISTINCT_WORDS = `SELECT DISTINCT left(u.piece, ${KEY_CHARS}) AS word
  FROM unnest(string_to_array(e.search_text, '${WORD_MARK}')) WITH ORDINALITY AS u(piece, i)
  WHERE u.i % 2 = 0 AND u.piece <> ''`;

/** SQL: how a word that one event of an hour has is written in `audit_segment.singles`. */
export const singleOf = (tenant: string, word: string): string => `${tenant}::text || ' ' || ${word}`;

/** The index keys of the words every matching event must have. */
export function keysOf(terms: readonly SearchTerm[]): string[] {
  const words = terms.flatMap(wholeWordsOf).map((word) => [...toStored(word)].slice(0, KEY_CHARS).join(''));
  return [...new Set(words)];
}

/** Whether the index counts the events of these terms exactly: one word, which is its own key. */
export const isCounted = ([term, ...others]: readonly SearchTerm[]): boolean =>
  term?.kind === 'word' && others.length === 0 && [...term.text].length < KEY_CHARS;

/** Hours of a tenant in which a word occurs, with the number of events; of sound and unsound segments alike. */
export function hoursOfWord(key: string, tenant: Prisma.Sql, span: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT w.hour, w.n FROM audit_word w WHERE w.tenant_id = ${tenant} AND w.word = ${key} AND ${span}
    UNION ALL
    SELECT w.hour, 1 FROM audit_segment w
    WHERE w.tenant_id = ${tenant} AND w.singles @> ARRAY[(${tenant})::text || ' ' || ${key}::text]
      AND ${span}`;
}
