import { retryExchange } from '@urql/exchange-retry';
import type { CombinedError } from 'urql';

const SOON_SECONDS = 2;

/**
 * Repeats a question for which the service had no turn or no room at that moment: the page asks several at once, and the
 * questions of one person take turns. If the service names a longer wait, the reader decides.
 */
export const askAgain = retryExchange({
  initialDelayMs: 1_000,
  maxDelayMs: 4_000,
  maxNumberAttempts: 4,
  retryIf: (error, { kind }) => kind === 'query' && isSoon(error),
});

/** Whether the service says that the question can be asked again within two seconds. */
export function isSoon({ response }: Pick<CombinedError, 'response'>): boolean {
  if (!(response instanceof Response) || response.status !== 503) return false;
  const seconds = Number(response.headers.get('Retry-After') ?? Number.POSITIVE_INFINITY);
  return seconds <= SOON_SECONDS;
}
