import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import Redis from 'ioredis';
import { pino } from 'pino';
import {
  RedisLimiter,
  RedisLink,
  retryAfterSeconds,
  WINDOW_CLOCK,
} from '../../../src/caller/rate-limit/limiter';
import { REDIS_URL } from '../../support/engines';
import { gaps, mostInAnyWindow, timesOf, WINDOW_MS, WindowModel } from '../support/window-model';

const onRedis = REDIS_URL ? describe : describe.skip;
const TIME = "redis.call('TIME')";

onRedis('the sliding window shared through Redis', () => {
  let limiters: RedisLimiter[];
  let now = 0;

  beforeAll(async () => {
    // Runs the service's own script on a real Redis. Only its clock is the test's.
    const define = Redis.prototype.defineCommand;
    jest.spyOn(Redis.prototype, 'defineCommand').mockImplementation(function (this: Redis, name, definition) {
      if (!definition.lua.includes(TIME)) throw new Error('the script reads its clock in another way');
      define.call(this, name, { ...definition, lua: definition.lua.replace(TIME, '{ARGV[3], ARGV[4]}') });
      const commands = this as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
      const run = commands[name]?.bind(this);
      commands[name] = async (...args) => {
        const us = Math.round(now * 1000);
        return run?.(...args, Math.floor(us / 1e6), us % 1e6);
      };
    });
    const links = [1, 2].map(() => new RedisLink(REDIS_URL ?? '', pino({ level: 'silent' })));
    limiters = links.map((link) => new RedisLimiter(link));
    await Promise.all(links.map((link) => link.connected()));
    jest.spyOn(WINDOW_CLOCK, 'nowMs').mockImplementation(() => now);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await Promise.all(limiters.map((limiter) => limiter.close()));
  });
  const admit = (instance: number, key: string, at: number, limit: number) => {
    now = at;
    const limiter = limiters[instance % limiters.length];
    if (!limiter) throw new Error('no such instance');
    return limiter.admit(key, limit);
  };

  it('admits exactly what the window model admits, whichever instance is called', async () => {
    const calls = gaps(50).chain((given) =>
      fc.record({
        times: fc.constant(timesOf(given)),
        instances: fc.array(fc.nat(1), { minLength: given.length, maxLength: given.length }),
        limit: fc.integer({ min: 1, max: 6 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(calls, async ({ times, instances, limit }) => {
        const key = randomUUID();
        const model = new WindowModel();
        for (const [i, at] of times.entries()) {
          const { admitted } = await admit(instances[i] ?? 0, key, at, limit);
          expect(admitted).toBe(model.admit(at, limit));
        }
        expect(mostInAnyWindow(model.admitted)).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 60 },
    );
  });

  it('never refuses a steady caller of 1 call per second who alternates between instances', async () => {
    const key = randomUUID();
    for (let i = 0; i < 200; i++) {
      expect({ i, ...(await admit(i, key, i * 1000, 60)) }).toMatchObject({ admitted: true });
    }
  });

  it('admits a refused call after Retry-After on every instance', async () => {
    const gap = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 4, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(gap, fc.integer({ min: 1, max: 3 }), async (given, limit) => {
        const key = randomUUID();
        for (const [i, at] of timesOf(given).entries()) {
          const decision = await admit(i, key, at, limit);
          if (decision.admitted) continue;
          const seconds = retryAfterSeconds(decision);
          expect((await admit(i + 1, key, at + seconds * 1000, limit)).admitted).toBe(true);
          return;
        }
      }),
      { numRuns: 60 },
    );
  });

  it('states the true wait after the limit was lowered too', async () => {
    const key = randomUUID();
    const times = [0, 5_000, 11_000, 18_000, 26_000];
    for (const at of times) expect((await admit(0, key, at, 5)).admitted).toBe(true);
    // The instance that admitted the calls knows their times itself, and the other one learns them from Redis.
    for (const [instance, limit, until] of [
      [1, 5, 0],
      [1, 2, 18_000],
      [1, 1, 26_000],
      [0, 2, 18_000],
    ] as const) {
      const { admitted, waitMs } = await admit(instance, key, 30_000, limit);
      const exact = until + WINDOW_MS - 30_000;
      expect({ instance, limit, admitted, isTrue: waitMs >= exact && waitMs <= exact + 2 }).toEqual({
        instance,
        limit,
        admitted: false,
        isTrue: true,
      });
    }
    const freeAt = 18_000 + WINDOW_MS;
    expect((await admit(1, key, freeAt - 1, 2)).admitted).toBe(false);
    expect((await admit(1, key, freeAt, 2)).admitted).toBe(true);
  });

  it('keeps calls in Redis as long as they count, and each admitted call extends this time', async () => {
    const [key, redis] = [randomUUID(), new Redis(REDIS_URL ?? '')];
    const name = `audit-activity:rate:${key}`;
    try {
      for (const at of [0, 1]) {
        const before = Date.now();
        expect((await admit(0, key, at, 2)).admitted).toBe(true);
        const left = await redis.pttl(name);
        // Redis counts down during the test.
        expect(left + Date.now() - before).toBeGreaterThanOrEqual(WINDOW_MS);
        expect(left).toBeLessThanOrEqual(WINDOW_MS + 5_000);
        await redis.pexpire(name, WINDOW_MS / 2);
      }
    } finally {
      redis.disconnect();
    }
  });

  it('does not count refused calls', async () => {
    const key = randomUUID();
    for (let at = 0; at < 60_000; at += 1_000) {
      expect((await admit(at / 1000, key, at, 1)).admitted).toBe(at === 0);
    }
    expect((await admit(1, key, 60_000, 1)).admitted).toBe(true);
  });
});
