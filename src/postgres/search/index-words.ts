import { type SearchTerm, wholeWordsOf } from '../../audit-event/search-terms';
import { Prisma } from '../database';
import { toStored } from '../stored-text';

/** Words are indexed by their first characters: whole statements without a blank must not break an index. */
const KEY_CHARS = 64;

/** A stored word as the index knows it. */
export const indexKeyOf = (word: string): string =>
  word.length <= KEY_CHARS ? word : [...word].slice(0, KEY_CHARS).join('');

/** SQL: how a word that one event of an hour has is written in `audit_segment.singles`. */
export const singleOf = (tenant: string, word: string): string => `${tenant}::text || ' ' || ${word}`;

/** The index keys of the words every matching event must have. */
export function keysOf(terms: readonly SearchTerm[]): string[] {
  const words = terms.flatMap(wholeWordsOf).map((word) => indexKeyOf(toStored(word)));
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
