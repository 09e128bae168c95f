/** The result of sending something. */
export type Outcome =
  /** `refused`: items that the receiver found bad, while it accepted the others that were sent with them. */
  | { readonly kind: 'accepted'; readonly refused?: readonly RefusedItem[] }
  /** The receiver says that the content is at fault. It would refuse the same content again. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The receiver wants no more deliveries. */
  | { readonly kind: 'gone'; readonly message: string }
  /** Any other failure. The content is sent again. */
  | { readonly kind: 'failed'; readonly message: string; readonly retryAfterMs?: number };

export interface RefusedItem {
  /** The item's index among those sent together. */
  readonly index: number;
  readonly message: string;
}

export const failed = (message: string): Outcome => ({ kind: 'failed', message });
