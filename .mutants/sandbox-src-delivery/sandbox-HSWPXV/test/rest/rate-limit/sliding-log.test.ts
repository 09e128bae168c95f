import fc from 'fast-check';
import { retryAfterSeconds, SlidingLog } from '../../../src/caller/rate-limit/limiter';
import { gaps, mostInAnyWindow, timesOf, WINDOW_MS, WindowModel } from '../support/window-model';

const limits = fc.integer({ min: 1, max: 6 });

/** A log with a clock that the test sets. */
function logOnClock() {
  let now = 0;
  const log = new SlidingLog(10, () => now);
  return async (at: number, limit: number) => {
    now = at;
    return log.admit('key', limit);
  };
}

describe('the sliding window of one instance', () => {
  it('admits exactly what the window model admits, whenever calls arrive', async () => {
    await fc.assert(
      fc.asyncProperty(gaps(80), limits, async (given, limit) => {
        const admit = logOnClock();
        const model = new WindowModel();
        for (const at of timesOf(given)) {
          expect((await admit(at, limit)).admitted).toBe(model.admit(at, limit));
        }
        expect(mostInAnyWindow(model.admitted)).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 200 },
    );
  });

  it('does not count refused calls: without them the same calls are admitted', async () => {
    await fc.assert(
      fc.asyncProperty(gaps(60), limits, async (given, limit) => {
        const [insistent, patient] = [logOnClock(), logOnClock()];
        for (const at of timesOf(given)) {
          if ((await insistent(at, limit)).admitted) {
            expect((await patient(at, limit)).admitted).toBe(true);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('admits a refused call after Retry-After, and not a second earlier', async () => {
    await fc.assert(
      fc.asyncProperty(gaps(30), limits, async (given, limit) => {
        const times = timesOf(given);
        /** A log that has seen the first n + 1 calls, so that a test can try any later moment. */
        const after = async (n: number) => {
          const admit = logOnClock();
          let last = await admit(times[0] ?? 0, limit);
          for (const at of times.slice(1, n + 1)) last = await admit(at, limit);
          return { admit, last };
        };
        for (const [n, at] of times.entries()) {
          const { admit, last } = await after(n);
          if (last.admitted) continue;
          const seconds = retryAfterSeconds(last);
          expect(Number.isInteger(seconds) && seconds >= 1).toBe(true);
          if (seconds > 1) expect((await admit(at + (seconds - 1) * 1000 - 2, limit)).admitted).toBe(false);
          expect((await admit(at + seconds * 1000, limit)).admitted).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    [60, 1_000],
    [1, 60_000],
    [7, WINDOW_MS / 7],
  ])('never refuses a steady caller: %d calls a minute, one every %d ms', async (limit, every) => {
    const admit = logOnClock();
    for (let i = 0; i < 10 * limit; i++) {
      expect({ i, ...(await admit(Math.ceil(i * every), limit)) }).toMatchObject({ admitted: true });
    }
  });

  it('states exactly how many more calls it would admit', async () => {
    await fc.assert(
      fc.asyncProperty(gaps(40), limits, async (given, limit) => {
        const admit = logOnClock();
        let last = { remaining: limit };
        const times = timesOf(given);
        for (const at of times) last = await admit(at, limit);
        const now = times.at(-1) ?? 0;
        for (let left = last.remaining; left > 0; left--)
          expect((await admit(now, limit)).admitted).toBe(true);
        expect((await admit(now, limit)).admitted).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});
