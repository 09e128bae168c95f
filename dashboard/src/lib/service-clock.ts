/** The clock of the browser may be hours off. A range such as the last hour would then miss events, and nobody would see it. */
let aheadMs = 0;
/** The header `Date` has whole seconds. */
const STEP_MS = 1_000;

/** Milliseconds since 1970 by the service's clock: for ranges that end now, ages, and times that the service keeps. */
export const serviceNowMs = (): number => Date.now() + aheadMs;

/** Notes the time that an answer tells. It was made after its question was sent, and before it arrived. */
export function noteServiceTime({ headers }: Response, sentMs: number): void {
  const toldMs = Date.parse(headers.get('Date') ?? '');
  if (Number.isNaN(toldMs)) return;
  const arrivedMs = Date.now();
  const isWithin = toldMs > sentMs - STEP_MS && toldMs <= arrivedMs;
  aheadMs = isWithin ? 0 : toldMs - (toldMs > arrivedMs ? arrivedMs : sentMs);
}
