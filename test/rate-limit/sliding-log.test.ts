import { RedisLimiter, retryAfterSeconds, SlidingLog } from '../../src/caller/rate-limit/limiter';
import { LIMITS } from '../../src/limits';

const WINDOW = LIMITS.rateWindowMs;

function logAt(start = 1_000, keysMax?: number) {
  const clock = { now: start };
  return { clock, log: new SlidingLog(keysMax, () => clock.now) };
}

describe('the log of admitted calls', () => {
  it('keeps keys apart', async () => {
    const { log } = logAt();
    expect(await log.admit('a', 1)).toMatchObject({ admitted: true });
    expect(await log.admit('a', 1)).toMatchObject({ admitted: false });
    expect(await log.admit('b', 1)).toMatchObject({ admitted: true });
  });

  it('says how many calls are left, and when the oldest call leaves the window', async () => {
    const { clock, log } = logAt();
    expect(await log.admit('a', 2)).toEqual({ admitted: true, limit: 2, remaining: 1, waitMs: WINDOW + 1 });
    clock.now += 10_000;
    expect(await log.admit('a', 2)).toEqual({
      admitted: true,
      limit: 2,
      remaining: 0,
      waitMs: WINDOW - 9_999,
    });
    expect(await log.admit('a', 2)).toEqual({
      admitted: false,
      limit: 2,
      remaining: 0,
      waitMs: WINDOW - 9_999,
    });
  });

  it('admits a refused call after exactly the stated time, and not before', async () => {
    const { clock, log } = logAt(0.25);
    await log.admit('a', 1);
    clock.now += 1_234.5;
    const { waitMs } = await log.admit('a', 1);
    const refusedAt = clock.now;
    clock.now = refusedAt + waitMs - 2;
    expect(await log.admit('a', 1)).toMatchObject({ admitted: false });
    clock.now = refusedAt + waitMs;
    expect(await log.admit('a', 1)).toMatchObject({ admitted: true });
  });

  it('counts a call for the whole window, to its last moment', async () => {
    const { clock, log } = logAt();
    await log.admit('a', 1);
    clock.now += WINDOW - 1;
    expect(await log.admit('a', 1)).toMatchObject({ admitted: false });
    clock.now += 1;
    expect(await log.admit('a', 1)).toMatchObject({ admitted: true });
  });

  it('counts further calls for one that was admitted, also while Redis is lost', async () => {
    const limiter = new RedisLimiter({ script: () => async () => null } as never);
    expect(await limiter.admit('a', 9)).toMatchObject({ remaining: 8 });
    await limiter.charge('a', 3);
    expect(await limiter.admit('a', 9)).toMatchObject({ remaining: 4 });
  });

  it('does not count refused calls', async () => {
    const { clock, log } = logAt();
    await log.admit('a', 1);
    for (let i = 0; i < 100; i++) await log.admit('a', 1);
    clock.now += WINDOW + 1;
    expect(await log.admit('a', 1)).toMatchObject({ admitted: true });
  });

  it('peeks without counting', () => {
    const { log } = logAt();
    for (let i = 0; i < 10; i++) expect(log.peek('a', 1)).toMatchObject({ admitted: true, remaining: 0 });
    log.record('a', 1_000);
    expect(log.peek('a', 1)).toMatchObject({ admitted: false });
  });

  it('applies a limit that was lowered meanwhile, until enough calls have left the window', async () => {
    const { clock, log } = logAt();
    for (let i = 0; i < 5; i++) {
      await log.admit('a', 5);
      clock.now += 1_000;
    }
    const { admitted, waitMs } = await log.admit('a', 2);
    expect(admitted).toBe(false);
    clock.now += waitMs;
    expect(await log.admit('a', 2)).toMatchObject({ admitted: true });
  });

  it('forgets the least recently used keys when there are too many', async () => {
    const { clock, log } = logAt(1_000, 3);
    await log.admit('busy', 1);
    for (let i = 0; i < 50; i++) {
      clock.now += 1;
      await log.admit(`other ${i}`, 1);
      expect(await log.admit('busy', 1)).toMatchObject({ admitted: false });
    }
  });

  it('is always healthy, since it depends on nothing else', () => {
    expect(logAt().log.healthy).toBe(true);
  });
});

it('Retry-After is in whole seconds, at least 1, and long enough', () => {
  const after = (waitMs: number) => retryAfterSeconds({ admitted: false, limit: 1, remaining: 0, waitMs });
  expect([0, 1, 999, 1_000, 1_001, 60_001].map(after)).toEqual([1, 1, 1, 1, 2, 61]);
});
