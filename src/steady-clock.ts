import { LIMITS } from './limits';

/** A clock that was set differs by more than one that NTP speeds up between two looks. */
export const CLOCK_STEP_MS = 10_000;

/**
 * A clock without steps. After the clock of the host was set, or the host slept, it goes on as before for a while, and
 * then takes the new time. Meanwhile everybody who is at work has noted a time by the new clock. So nobody who waits
 * for something takes a step for the time that has passed.
 */
export function steadyClock(
  nowMs: () => number,
  forMs: number = LIMITS.clockStepForMs,
  elapsedMs: () => number = () => performance.now(),
): () => number {
  let offsetMs = nowMs() - elapsedMs();
  let steppedAtMs: number | null = null;
  return () => {
    const atMs = elapsedMs();
    const otherMs = nowMs() - atMs;
    const isStepped = Math.abs(otherMs - offsetMs) >= CLOCK_STEP_MS;
    if (isStepped) steppedAtMs ??= atMs;
    if (!isStepped || (steppedAtMs !== null && atMs - steppedAtMs >= forMs))
      [offsetMs, steppedAtMs] = [otherMs, null];
    return Math.round(atMs + offsetMs);
  };
}

/**
 * The time by which silence is judged: the steady clock, or the clock of the host where that is earlier. After a clock
 * was set back, what somebody noted last stays the time before.
 */
export const silenceClock =
  (steadyMs: () => number, nowMs: () => number): (() => number) =>
  () =>
    Math.min(steadyMs(), nowMs());
