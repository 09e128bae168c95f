import { setTimeout as sleep } from 'node:timers/promises';

/** The agent's source of time. Tests use their own. */
export interface Clock {
  /** Milliseconds since 1970. NTP or somebody may set it, also back, so no wait is measured by it. */
  now(): number;
  /** Milliseconds since some moment, of a clock that nobody sets. */
  elapsed(): number;
  /** Resolves after `ms`, or as soon as the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  async wait(ms, signal) {
    try {
      await sleep(Math.max(0, ms), undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  },
};
