import type { Response } from 'express';
import type { RateDecision } from '../src/caller/rate-limit/limiter';
import { LIMITS } from '../src/limits';

const WINDOW_SECONDS = LIMITS.rateWindowMs / 1000;

/**
 * `RateLimit-Policy` (quota and window) and `RateLimit` (calls left, seconds until more), on every answer the
 * limiter had a say in.
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function setRateLimitHeaders(response: Response, { limit, remaining, waitMs }: RateDecision): void {
  response.setHeader('RateLimit-Policy', `"key";q=${limit};w=${WINDOW_SECONDS}`);
  response.setHeader('RateLimit', `"key";r=${remaining};t=${Math.ceil((waitMs - 1) / 1000)}`);
}
