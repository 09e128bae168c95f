import { Prisma } from '../../database/clients';
import type { TenantLookup } from '../../database/each-tenant';
import { FILTER_SPECS, type FilterName } from '../../event/filters';
import { type AuditEventFilter, givenFilters } from '../../event/query';
import type { SearchTerm } from '../../event/search';
import { wholeWordsOf, wordsOf } from '../../event/search-terms';
import { toStored } from '../rows/stored-text';

/** Words are indexed by their first characters: a long statement without a blank must not break an index. */
const KEY_CHARS = 64;

/** The index key of a stored word. */
export const indexKeyOf = (word: string): string =>
  word.length <= KEY_CHARS ? word : [...word.slice(0, 2 * KEY_CHARS)].slice(0, KEY_CHARS).join('');

/** SQL: the entry in `audit_segment.singles` of a word that only one event of an hour has. */
export const singleOf = (tenant: string, word: string): string => `${tenant}::text || ' ' || ${word}`;

/** The index keys of the words that every matching event must have, also by the values of filters that read events. */
export function keysOf(filter: AuditEventFilter): string[] {
  const values = givenFilters(filter)
    .filter(isRead)
    .map((name) => filter[name]);
  const texts = values.flatMap((value) => (typeof value === 'string' ? wordsOf(value) : []));
  const words = [...filter.search.flatMap(wholeWordsOf), ...texts];
  return [...new Set(words.map((word) => indexKeyOf(toStored(word))))];
}

/** Whether a filter may need to read events. By instance, events are read for days not counted by instance yet. */
const isRead = (name: FilterName): boolean => {
  const { countedBy } = FILTER_SPECS[name];
  return countedBy === null || countedBy === 'instance';
};

/** Whether the index counts the events of these terms exactly: they are one word, which is its own key. */
export const isCounted = ([term, ...others]: readonly SearchTerm[]): boolean =>
  term?.kind === 'word' && others.length === 0 && [...term.text].length < KEY_CHARS;

/**
 * Hours of a tenant in which a word occurs, with the number of events. Segments that do not hold are included. On one
 * database a function finds the hours of single words by their index; row-level security allows no other way to it. The
 * nodes of a distributed database cannot run that function, so they read the tenant's hours.
 */
export function hoursOfWord(key: string, tenant: Prisma.Sql, span: Prisma.Sql, of: TenantLookup): Prisma.Sql {
  const single = Prisma.sql`(${tenant})::text || ' ' || ${key}::text`;
  const ofSingle = of.isDistributed
    ? Prisma.sql`audit_segment w WHERE w.tenant_id = ${tenant} AND w.singles @> ARRAY[${single}] AND ${span}`
    : Prisma.sql`audit_hours_of_single(${tenant}, ${single}) w WHERE ${span}`;
  return Prisma.sql`
    SELECT w.hour, w.n FROM audit_word w
    WHERE w.tenant_id = ${of.lookup(tenant)} AND w.word = ${key} AND ${span}
    UNION ALL
    SELECT w.hour, 1 FROM ${ofSingle}`;
}
