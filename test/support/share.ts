import path from 'node:path';
import long from './long-suites.json';

const ROOT = path.resolve(__dirname, '../..');
/** `TEST_SHARE=full` runs the long suites in full, as CI does where the machine is quick enough; otherwise they run their short share. */
const SHARE = process.env.TEST_SHARE === 'full' ? 'full' : 'short';

/** The seed of the random choices of a long suite; `TEST_SEED=n` sets another. */
export const SEED = Number(process.env.TEST_SEED ?? long.seed);

/**
 * How many cases a long suite runs, as `long-suites.json` says; `TEST_CASES=n` runs another number. A suite whose short
 * share is 0 runs one case if it is called by name.
 * @param file `__filename` of the suite
 */
export function casesOf(file: string): number {
  const name = path.relative(ROOT, file);
  const suite = Object.entries(long.suites).find(([known]) => known === name)?.[1];
  if (!suite) throw new Error(`${name} does not stand in long-suites.json`);
  return Number(process.env.TEST_CASES ?? Math.max(1, suite[SHARE]));
}
