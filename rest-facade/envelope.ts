import type { Response } from 'express';
import type { RateDecision } from '../src/caller/rate-limit/limiter';
import type { Page } from '../src/event/query';
import { LIMITS } from '../src/limits';
import { API_VERSION } from '../src/version';

interface ResponseMeta {
  /** Time of the response. */
  readonly timestamp: string;
  readonly apiVersion: string;
}

interface PageMeta extends ResponseMeta {
  readonly totalCount: number;
  readonly page: number;
  readonly pageSize: number;
  readonly totalPages: number;
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
}

/** What every answer's `meta` has. */
export const metaOf = (now: Date): ResponseMeta => ({
  timestamp: now.toISOString(),
  apiVersion: API_VERSION,
});

export const itemEnvelope = <T>(data: T, now: Date) => ({ data, meta: metaOf(now) });

/** A page beyond the end is empty, with true totals. */
export function listEnvelope<T>({ items, totalCount, page, pageSize }: Page<T>, now: Date) {
  const totalPages = Math.ceil(totalCount / pageSize);
  const meta: PageMeta = {
    totalCount,
    page,
    pageSize,
    totalPages,
    hasPreviousPage: page > 1,
    hasNextPage: page < totalPages,
    ...metaOf(now),
  };
  return { data: items, meta };
}

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
