import path from 'node:path';
import long from './long-suites.json';

const ROOT = path.resolve(__dirname, '../..');
/** `TEST_SHARE=full` runs the long suites as a whole, as CI does; otherwise they run the short share. */
const SHARE = process.env.TEST_SHARE === 'full' ? 'full' : 'short';

/** Where the random choices of a long suite begin; `TEST_SEED=n` begins elsewhere. */
export const SEED = Number(process.env.TEST_SEED ?? long.seed);

/**
 * How many cases a long suite runs, as `long-suites.json` says; `TEST_CASES=n` runs another number. A suite whose short
 * share is none runs one case where it is asked for by name.
 * @param file `__filename` of the suite
 */
export function casesOf(file: string): number {
  const name = path.relative(ROOT, file);
  const suite = Object.entries(long.suites).find(([known]) => known === name)?.[1];
  if (!suite) throw new Error(`${name} does not stand in long-suites.json`);
  return Number(process.env.TEST_CASES ?? Math.max(1, suite[SHARE]));
}
