import type { Page } from '../src/event/query';
import { API_VERSION } from '../src/version';

export interface ResponseMeta {
  /** Time of the response. */
  readonly timestamp: string;
  readonly apiVersion: string;
}

export interface PageMeta extends ResponseMeta {
  readonly totalCount: number;
  readonly page: number;
  readonly pageSize: number;
  readonly totalPages: number;
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
}

const metaOf = (now: Date): ResponseMeta => ({ timestamp: now.toISOString(), apiVersion: API_VERSION });

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
