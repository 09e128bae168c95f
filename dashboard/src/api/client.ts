import { Client, cacheExchange, fetchExchange, mapExchange } from 'urql';
import { askAgain } from './ask-again';
import { askingHeaders } from './attended';
import { codeOf } from './errors';

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
        onError: (error) => {
          if (codeOf(error) === 'unauthorized') onSessionOver();
        },
      }),
      cacheExchange,
      askAgain,
      fetchExchange,
    ],
  });
