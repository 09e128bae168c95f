import { RefusedAddress } from './network-guard';

/** The result of sending something. */
export type Outcome =
  /** `refused`: items that the receiver found bad, while it accepted the others that were sent with them. */
  | { readonly kind: 'accepted'; readonly refused?: readonly RefusedItem[] }
  /** The receiver says that the content is at fault. It would refuse the same content again. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The receiver wants no more deliveries. */
  | { readonly kind: 'gone'; readonly message: string }
  /** Any other failure. The content is sent again. */
  | Failure;

interface Failure {
  readonly kind: 'failed';
  readonly message: string;
  readonly retryAfterMs?: number;
  /** Whether this instance may not connect to the receiver. Another instance may. */
  readonly isOfInstance?: boolean;
}

export interface RefusedItem {
  /** The item's index among those sent together. */
  readonly index: number;
  readonly message: string;
}

export const failed = (message: string): Outcome => ({ kind: 'failed', message });

/** The failure that an exception stands for. If all addresses of a name fail, the error has a code and no message. */
export function failureOf(error: unknown): Outcome {
  const { message, code } = error as NodeJS.ErrnoException;
  const isOfInstance = error instanceof RefusedAddress;
  return { ...failed(message || code || String(error)), ...(isOfInstance && { isOfInstance }) };
}
