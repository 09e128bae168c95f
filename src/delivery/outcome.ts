/** What became of something that was sent. */
export type Outcome =
  /** `refused`: of those sent together some that the receiver took for bad, while it took others. */
  | { readonly kind: 'accepted'; readonly refused?: readonly RefusedItem[] }
  /** The content is at fault, by what the receiver says: sent again, it would be refused again. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The receiver wants nothing any more. */
  | { readonly kind: 'gone'; readonly message: string }
  /** Anything else: it is sent again. */
  | { readonly kind: 'failed'; readonly message: string; readonly retryAfterMs?: number };

export interface RefusedItem {
  /** Its place among those sent together. */
  readonly index: number;
  readonly message: string;
}

export const failed = (message: string): Outcome => ({ kind: 'failed', message });
