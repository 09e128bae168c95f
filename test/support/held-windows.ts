import Redis from 'ioredis';
import { WINDOW_CLOCK } from '../../src/caller/rate-limit/limiter';

const HELD_MS = 1_000_000;
const TIME = "redis.call('TIME')";

/** Holds the windows of rate limits in this process: calls never leave them, however long a busy machine takes. */
export function holdWindows(): void {
  WINDOW_CLOCK.nowMs = () => HELD_MS;
}

/** Holds the windows that instances share too. The service's own scripts run on a real Redis; only their clock stands. */
export function holdSharedWindows(): void {
  const define = Redis.prototype.defineCommand;
  jest.spyOn(Redis.prototype, 'defineCommand').mockImplementation(function (this: Redis, name, definition) {
    const isWindow = name === 'admit';
    if (isWindow && !definition.lua.includes(TIME))
      throw new Error('the script reads its clock in another way');
    const lua = isWindow ? definition.lua.replace(TIME, `{${HELD_MS}, 0}`) : definition.lua;
    define.call(this, name, { ...definition, lua });
  });
}
