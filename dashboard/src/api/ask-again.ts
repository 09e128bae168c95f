import { retryExchange } from '@urql/exchange-retry';
import type { CombinedError } from 'urql';

const SOON_SECONDS = 2;

/**
 * Asks a question again that the service had no turn or no room for just now: the page asks several at once, and those
 * of one person take turns. What the service needs longer for, the reader decides.
 */
export const askAgain = retryExchange({
  initialDelayMs: 1_000,
  maxDelayMs: 4_000,
  maxNumberAttempts: 4,
  retryIf: (error, { kind }) => kind === 'query' && isSoon(error),
});

function isSoon({ response }: CombinedError): boolean {
  if (!(response instanceof Response) || response.status !== 503) return false;
  const seconds = Number(response.headers.get('Retry-After') ?? Number.POSITIVE_INFINITY);
  return seconds <= SOON_SECONDS;
}
