import { Client, cacheExchange, fetchExchange, mapExchange } from 'urql';
import { askAgain } from './ask-again';
import { describeError } from './errors';
import { PAGE_HEADER } from './session';

/** A client for one session: the client and its cache end with the session. */
export const createClient = (onSessionOver: () => void): Client =>
  new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: { headers: PAGE_HEADER, credentials: 'same-origin' },
    exchanges: [
      mapExchange({
        onError: (error) => {
          if (describeError(error).code === 'unauthorized') onSessionOver();
        },
      }),
      cacheExchange,
      askAgain,
      fetchExchange,
    ],
  });
