/**
 * What columns tell of events: one of these for each, or one for all of them. Of an event that is `MAYBE` the columns do
 * not know it: it has to be read.
 */
export const [NO, MAYBE, YES] = [0, 1, 2] as const;
export type Verdict = typeof NO | typeof MAYBE | typeof YES;
export type Verdicts = Verdict | Uint8Array;

export function negated(verdicts: Verdicts): Verdicts {
  if (typeof verdicts === 'number') return (YES - verdicts) as Verdict;
  for (let i = 0; i < verdicts.length; i++) verdicts[i] = YES - (verdicts[i] as number);
  return verdicts;
}

/** Of both the lesser: all must hold. The first list is changed. */
export function both(a: Verdicts, b: Verdicts): Verdicts {
  if (typeof a === 'number') return typeof b === 'number' ? (Math.min(a, b) as Verdict) : both(b, a);
  if (b === YES) return a;
  if (b === NO) return NO;
  if (b === MAYBE) {
    for (let i = 0; i < a.length; i++) if ((a[i] as number) > MAYBE) a[i] = MAYBE;
  } else for (let i = 0; i < a.length; i++) if ((b[i] as number) < (a[i] as number)) a[i] = b[i] as number;
  return a;
}

/** Of both the greater: one must hold. The first list is changed. */
export function either(a: Verdicts, b: Verdicts): Verdicts {
  if (typeof a === 'number') return typeof b === 'number' ? (Math.max(a, b) as Verdict) : either(b, a);
  if (b === NO) return a;
  if (b === YES) return YES;
  if (b === MAYBE) {
    for (let i = 0; i < a.length; i++) if (a[i] === NO) a[i] = MAYBE;
  } else for (let i = 0; i < a.length; i++) if ((b[i] as number) > (a[i] as number)) a[i] = b[i] as number;
  return a;
}

/** Verdicts of events by those of their values: one where all values agree. */
export function byCode(ofValues: Uint8Array, codes: Uint16Array): Verdicts {
  const first = ofValues[0] as number;
  let isSame = true;
  for (let k = 1; k < ofValues.length && isSame; k++) isSame = ofValues[k] === first;
  if (isSame) return first as Verdict;
  const verdicts = new Uint8Array(codes.length);
  for (let i = 0; i < codes.length; i++) verdicts[i] = ofValues[codes[i] as number] as number;
  return verdicts;
}
