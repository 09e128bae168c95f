import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../limits';
import { Holdings } from './holdings';
import type { RedisLink } from './limiter';

/** Gives a place back. */
export type LeavePlace = () => void;

/** Port: the places of calls that wait for new events, `LIMITS.tailWaitingPerKey` of a holder. */
export interface WaitingPlaces {
  /** The number of waiting calls of this instance. */
  readonly waiting: number;
  /**
   * @param ms the longest time; after it the place is free for others, even if the instance is lost
   * @returns null if all places of the holder are taken
   */
  take(holder: string, ms: number): Promise<LeavePlace | null>;
}

/** Counts the calls of this instance only. */
export class OwnPlaces implements WaitingPlaces {
  readonly #held = new Holdings({ each: LIMITS.tailWaitingPerKey, all: Number.POSITIVE_INFINITY });

  get waiting(): number {
    return this.#held.all;
  }

  async take(holder: string): Promise<LeavePlace | null> {
    if (!this.#held.take(holder, 1)) return null;
    return () => this.#held.give(holder, 1);
  }
}

/** By Redis' own clock (ms): drops the places whose time is over, then takes one if one is free. Replies 1 or 0. */
const TAKE = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local id, ms, max = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= max then return 0 end
redis.call('ZADD', KEYS[1], now + ms, id)
redis.call('PEXPIRE', KEYS[1], math.max(ms, redis.call('PTTL', KEYS[1])))
return 1`;

/** Counts over all instances, and over this instance only while Redis is lost. */
export class SharedPlaces implements WaitingPlaces {
  readonly #own = new OwnPlaces();
  readonly #take: (key: string, id: string, ms: number, max: number) => Promise<number | null>;

  constructor(private readonly link: RedisLink) {
    this.#take = link.script<number>('takeWaitingPlace', TAKE);
  }

  get waiting(): number {
    return this.#own.waiting;
  }

  async take(holder: string, ms: number): Promise<LeavePlace | null> {
    const leave = await this.#own.take(holder);
    if (!leave) return null;
    const [key, id] = [`audit-activity:waiting:${holder}`, randomUUID()];
    if ((await this.#take(key, id, Math.ceil(ms), LIMITS.tailWaitingPerKey)) === 0) {
      leave();
      return null;
    }
    return () => {
      leave();
      this.link.tell((redis) => redis.zrem(key, id));
    };
  }
}
