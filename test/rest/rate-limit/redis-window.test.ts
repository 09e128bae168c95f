import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import Redis from 'ioredis';
import { pino } from 'pino';
import { retryAfterSeconds } from '../../../src/rate-limit/sliding-log';
import { RedisLimiter } from '../../../src/redis/redis-limiter';
import { REDIS_URL } from '../../support/engines';
import { gaps, mostInAnyWindow, timesOf, WindowModel } from '../support/window-model';

const onRedis = REDIS_URL ? describe : describe.skip;
const TIME = "redis.call('TIME')";

onRedis('the sliding window shared through Redis', () => {
  let limiters: RedisLimiter[];
  let now = 0;

  beforeAll(async () => {
    // The service's own script on a real Redis, but for its clock, which the test turns.
    const define = Redis.prototype.defineCommand;
    jest.spyOn(Redis.prototype, 'defineCommand').mockImplementation(function (this: Redis, name, definition) {
      if (!definition.lua.includes(TIME)) throw new Error('the script asks another clock');
      define.call(this, name, { ...definition, lua: definition.lua.replace(TIME, '{ARGV[3], ARGV[4]}') });
      const commands = this as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
      const run = commands[name]?.bind(this);
      commands[name] = async (...args) => {
        const us = Math.round(now * 1000);
        return run?.(...args, Math.floor(us / 1e6), us % 1e6);
      };
    });
    limiters = [1, 2].map(() => new RedisLimiter(REDIS_URL ?? '', pino({ level: 'silent' })));
    await Promise.all(limiters.map((limiter) => limiter.connected()));
    jest.spyOn(performance, 'now').mockImplementation(() => now);
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

  it('admits exactly what the rule admits, whichever instance is called', async () => {
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

  it('never refuses a steady caller of 1 call per second, alternating between instances', async () => {
    const key = randomUUID();
    for (let i = 0; i < 200; i++) {
      expect({ i, ...(await admit(i, key, i * 1000, 60)) }).toMatchObject({ admitted: true });
    }
  });

  it('admits a refused call after Retry-After, on any instance', async () => {
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

  it('does not count refused calls', async () => {
    const key = randomUUID();
    for (let at = 0; at < 60_000; at += 1_000) {
      expect((await admit(at / 1000, key, at, 1)).admitted).toBe(at === 0);
    }
    expect((await admit(1, key, 60_000, 1)).admitted).toBe(true);
  });
});
