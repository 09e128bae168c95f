import { createHash } from 'node:crypto';
import { parseTicks } from '../../event/event-time';
import { FILTER_PARAMETERS, type ParameterValues } from '../../event/parameters';
import { FILTER_HASH_BYTES } from './cursor';

export type GivenFilters = ParameterValues<typeof FILTER_PARAMETERS>;

/**
 * The same for the same filters, in whatever order they were given. Of what was given, not of what was made of it: a
 * cursor outlives releases.
 */
export function filterHash(given: GivenFilters): Buffer {
  const texts = Object.entries(FILTER_PARAMETERS).flatMap(([name, { kind }]) => {
    const value = given[name as keyof GivenFilters];
    if (value === undefined) return [];
    return [[name, kind === 'time' ? String(parseTicks(String(value))) : String(value)] as const];
  });
  const sorted = texts.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest().subarray(0, FILTER_HASH_BYTES);
}
