import { Client, cacheExchange, fetchExchange, makeOperation, mapExchange, type Operation } from 'urql';
import { askAgain } from './ask-again';
import { askingHeaders } from './attended';
import { codeOf } from './errors';
import { fetchInTime } from './rate-wait';

/** A client for one session: what it has read ends with the session. */
export const createClient = (onSessionOver: () => void): Client =>
  new Client({
    url: '/graphql',
    preferGetMethod: false,
    // Evidence is never shown from a cache: each question asks the service.
    requestPolicy: 'network-only',
    fetchOptions: () => ({ headers: askingHeaders(), credentials: 'same-origin' }),
    exchanges: [
      mapExchange({
        onOperation: waitingForLimit,
        onError: (error) => {
          if (codeOf(error) === 'unauthorized') onSessionOver();
        },
      }),
      cacheExchange,
      askAgain,
      fetchExchange,
    ],
  });

/** A question waits for the rate limit. A change does not: whoever asked for it may have left it meanwhile. */
const waitingForLimit = (operation: Operation): Operation =>
  operation.kind === 'query'
    ? makeOperation(operation.kind, operation, { ...operation.context, fetch: fetchInTime })
    : operation;
