import { LIMITS } from '../../../src/limits';

interface KeyLife {
  readonly state: string;
  readonly expiresAt?: string | null;
  readonly replacedBy?: string | null;
}

/** Whether a key expires soon without a replacement. The end of a rotated key is intended. */
export const expiresSoon = ({ state, expiresAt, replacedBy }: KeyLife, nowMs: number): boolean =>
  state === 'valid' &&
  !replacedBy &&
  typeof expiresAt === 'string' &&
  Date.parse(expiresAt) - nowMs <= LIMITS.keyExpiresSoonMs;
