import type { components, operations } from './api.js';
import { ApiError } from './errors.js';
import type { Http } from './http.js';

type Query = NonNullable<operations['tailAuditActivity']['parameters']['query']>;
type Answer = components['schemas']['AuditActivityTail'];
export type TailItem = components['schemas']['AuditActivityTailItem'];

/** The place where a reader keeps its cursor. */
export interface CursorStore {
  /** Null: no cursor is kept yet. */
  load(): Promise<string | null>;
  save(cursor: string): Promise<void>;
}

/** Keeps the cursor in memory until the program ends. */
export class MemoryCursorStore implements CursorStore {
  #cursor: string | null = null;
  async load(): Promise<string | null> {
    return this.#cursor;
  }
  async save(cursor: string): Promise<void> {
    this.#cursor = cursor;
  }
}

export interface TailOptions extends Omit<Query, 'cursor' | 'include'> {
  readonly store?: CursorStore;
  readonly signal?: AbortSignal;
}

export interface TailBatch<T = TailItem> {
  readonly items: readonly T[];
  /** Whether the reader is at the end of what there is now. */
  readonly caughtUp: boolean;
  /** Events that retention removed before they were read. */
  readonly removed: number;
  readonly cursor: string;
}

const WAIT_SECONDS = 20;

/**
 * Batches of events in the order of arrival, without end; an empty batch means that nothing came. The cursor is stored
 * when the next batch is requested, after the loop's body has ended: a batch that the body did not finish comes again.
 */
export async function* tail<T>(
  http: Http,
  options: TailOptions,
): AsyncGenerator<TailBatch<T>, void, undefined> {
  const {
    store = new MemoryCursorStore(),
    signal,
    from = 'beginning',
    wait = WAIT_SECONDS,
    ...query
  } = options;
  let cursor = await store.load();
  for (;;) {
    const place = cursor === null ? { from } : { cursor };
    const { data, meta } = await http.json<Answer>(
      '/audit-activity/tail',
      { ...query, ...place, wait },
      { retries: Number.POSITIVE_INFINITY, ...(signal && { signal }) },
    );
    cursor = meta.nextCursor;
    yield { items: data as T[], caughtUp: meta.caughtUp, removed: meta.removed, cursor };
    await store.save(cursor);
  }
}

/**
 * Whether the service refuses a cursor for good. Then begin anew without it; after a `CursorOfEarlierLogError`, with
 * `from` and the `receivedAt` of the last event that you have. Keep the cursor after a `ForbiddenError`: it goes on once
 * the key has its right again, as when a disabled tenant is enabled.
 */
export const isCursorRefused = (error: unknown): boolean =>
  error instanceof ApiError && REFUSED.has(error.code);

const REFUSED = new Set(['invalid_parameter', 'cursor_of_earlier_log']);
