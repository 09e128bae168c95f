import { type Growth, grownMs } from '../rests';

const GROWTH: Growth = { firstMs: 1_000, mostMs: 300_000 };
/** A wait is longer by up to this share at random, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;
/** A receiver may ask for a longer wait, but it is called again after this one. */
export const RETRY_AFTER_MAX_MS = 3_600_000;

/**
 * Milliseconds until the next attempt. The first wait is 1 s. Each further one is twice as long, up to 5 minutes. A
 * random part adds up to a fifth.
 * @param attempts number of failed attempts so far, at least 1
 * @param random from 0 to 1
 */
export function retryDelayMs(attempts: number, retryAfterMs: number | undefined, random: number): number {
  return Math.round(
    Math.max(
      grownMs(GROWTH, attempts) * (1 + JITTER * random),
      Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS),
    ),
  );
}

/** The milliseconds that a header Retry-After asks for. The header has seconds or an HTTP date. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
