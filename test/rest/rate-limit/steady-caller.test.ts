import fc from 'fast-check';
import type { Authenticator } from '../../../src/caller/authenticate';
import { callAccepter } from '../../../src/caller/call';
import { SlidingLog } from '../../../src/caller/rate-limit/limiter';
import { LIMITS } from '../../../src/limits';
import { mostInAnyWindow } from '../support/window-model';

const PER_MINUTE = 60;
const SECONDS = 150;

/** A call's way from its key to its admission, on Jest's fake clock. */
function entrance(limit: number) {
  const principal = { kind: 'public', keyId: 'k', scopes: [], tenantIds: [1], rateLimitPerMinute: limit };
  const acceptCall = callAccepter({
    authenticator: { authenticate: async () => principal } as unknown as Authenticator,
    sessions: { find: async () => null },
    limiter: new SlidingLog(10, () => performance.now()),
    rateLimitPerMinute: limit,
    accessLog: { note: () => {} },
    nowMs: Date.now,
  });
  return () =>
    acceptCall({
      requestId: 'r',
      apiKey: 'k',
      address: 'a',
      entrance: 'rest',
      gone: new AbortController().signal,
    });
}

/** @returns the time at which each arriving call was admitted, or null if it was refused */
async function admissions(limit: number, arrivals: readonly number[]): Promise<(number | null)[]> {
  const call = entrance(limit);
  const start = performance.now();
  const outcomes = arrivals.map(
    (at) =>
      new Promise<number | null>((resolve) => {
        setTimeout(() => {
          call().then(
            () => resolve(performance.now() - start),
            () => resolve(null),
          );
        }, at);
      }),
  );
  await jest.advanceTimersByTimeAsync(Math.max(...arrivals) + 10_000);
  return Promise.all(outcomes);
}

describe('a steady caller of 1 call per second', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  // An exact window alone would refuse the 61st of calls that arrive a millisecond early, and no network is that even.
  it('is never refused if its calls arrive up to 200 ms late, and the window stays exact', async () => {
    const jitter = fc.array(fc.nat(200), { minLength: SECONDS, maxLength: SECONDS });
    await fc.assert(
      fc.asyncProperty(jitter, async (delays) => {
        const admitted = await admissions(
          PER_MINUTE,
          delays.map((delay, i) => i * 1000 + delay),
        );
        expect(admitted).not.toContain(null);
        expect(mostInAnyWindow(admitted.map(Number))).toBeLessThanOrEqual(PER_MINUTE);
      }),
      { numRuns: 20 },
    );
  });

  it('waits only a short time: a call that is even earlier is refused at once', async () => {
    const arrivals = [0, LIMITS.rateWindowMs - LIMITS.rateEarlyMs - 100, LIMITS.rateWindowMs - 100];
    const [first, early, nearly] = await admissions(1, arrivals);
    expect([first, early]).toEqual([0, null]);
    expect(nearly).toBeGreaterThanOrEqual(LIMITS.rateWindowMs);
    expect(nearly).toBeLessThan(LIMITS.rateWindowMs + 10);
  });

  it('has one call admitted of many that wait for the same place', async () => {
    const arrivals = [0, ...Array(20).fill(LIMITS.rateWindowMs - 50)];
    const admitted = await admissions(1, arrivals);
    expect(admitted.filter((at) => at !== null)).toHaveLength(2);
  });
});
