import { createHash } from 'node:crypto';
import type { Tuning } from '../../../rules/rule';

/** The digest that distinguishes versions of a rule. @param filters the files of the filters that narrow it */
export function digestOf(source: string, tuning: string | null, filters: readonly string[] = []): string {
  const hash = createHash('sha256').update(`${source}\n${tuning ?? ''}`);
  for (const filter of filters) hash.update(`\n---\n${filter}`);
  return hash.digest('hex').slice(0, 32);
}

export const tuningOf = (text: string | null): Tuning | null =>
  text === null ? null : (JSON.parse(text) as Tuning);
