import { LIMITS } from '../../../src/limits';

interface KeyLife {
  readonly state: string;
  readonly expiresAt?: string | null;
  readonly replacedBy?: string | null;
}

/** Whether a key is about to leave somebody without one: of a rotated key the end is meant. */
export const expiresSoon = ({ state, expiresAt, replacedBy }: KeyLife, nowMs: number): boolean =>
  state === 'valid' &&
  !replacedBy &&
  typeof expiresAt === 'string' &&
  Date.parse(expiresAt) - nowMs <= LIMITS.keyExpiresSoonMs;
