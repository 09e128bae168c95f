import type { Bits } from './bits';

/**
 * The answer of columns about events: one verdict for all events, or bits for each event. For an event with `MAYBE` the
 * columns cannot tell: the event has to be read.
 */
export const [NO, MAYBE, YES] = [0, 1, 2] as const;
export type Verdict = typeof NO | typeof MAYBE | typeof YES;
/** `is`: the verdict is `YES`; `can`: the verdict is not `NO`. Both are the same bits when no event is `MAYBE`. */
interface VerdictBits {
  readonly is: Bits;
  readonly can: Bits;
}
export type Verdicts = Verdict | VerdictBits;

export const known = (bits: Bits): VerdictBits => ({ is: bits, can: bits });

/** The functions below may change the bits that they are given, and may return them. */

export function negated(verdicts: Verdicts): Verdicts {
  if (typeof verdicts === 'number') return (YES - verdicts) as Verdict;
  const { is, can } = verdicts;
  if (is === can) return known(not(is));
  return { is: not(can), can: not(is) };
}

/** The lesser verdict of the two: both must hold. */
export function both(a: Verdicts, b: Verdicts): Verdicts {
  if (typeof a === 'number') return typeof b === 'number' ? (Math.min(a, b) as Verdict) : both(b, a);
  if (b === YES) return a;
  if (b === NO) return NO;
  if (b === MAYBE) return { is: new Uint32Array(a.is.length), can: a.can };
  if (a.is !== a.can) return { is: and(a.is, b.is), can: and(a.can, b.can) };
  return b.is === b.can ? known(and(a.is, b.is)) : both(b, a);
}

/** The greater verdict of the two: one must hold. */
export const either = (a: Verdicts, b: Verdicts): Verdicts => negated(both(negated(a), negated(b)));

function and(a: Bits, b: Bits): Bits {
  for (let i = 0; i < a.length; i++) a[i] = (a[i] as number) & (b[i] as number);
  return a;
}

function not(a: Bits): Bits {
  for (let i = 0; i < a.length; i++) a[i] = ~(a[i] as number);
  return a;
}
