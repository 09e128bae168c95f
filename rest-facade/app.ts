import { type RequestHandler, type Response, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { DomainError } from '../src/errors';
import type { CreateContext } from '../src/graphql/context';
import { prepareOperation } from '../src/graphql/execute';
import { type CheckHealth, HEALTH_STATUS } from '../src/health';
import { API_BASE_PATH } from '../src/version';
import { documentation } from './documentation';
import { errorResponder } from './errors';
import { setRateLimitHeaders } from './rate-limit-headers';
import { bodyOf, documentOf, type Route, variablesOf } from './route';
import { ROUTES } from './routes';

export interface FacadeParts {
  readonly schema: GraphQLSchema;
  readonly createContext: CreateContext;
  readonly checkHealth: CheckHealth;
  readonly log: Logger;
}

/** The public contract: the routes, their description, the health check, and an answer for anything else. */
export function createFacade(parts: FacadeParts): Router {
  const router = Router({ caseSensitive: true });
  for (const route of ROUTES) {
    const path = API_BASE_PATH + route.path.replace(/\{(\w+)\}/g, ':$1');
    router.get(path, answer(route, parts));
    router.all(path, refuseMethod);
  }
  router.get('/health', health(parts.checkHealth));
  router.all('/health', refuseMethod);
  router.use('/swagger', documentation(parts.schema));
  router.use(() => {
    throw new DomainError('not_found', { public: 'There is no such path.' });
  });
  router.use(errorResponder(parts.log));
  return router;
}

function answer(route: Route, { schema, createContext }: FacadeParts): RequestHandler {
  const operation = prepareOperation(schema, documentOf(route));
  return async (request, response) => {
    response.set('Cache-Control', 'no-store');
    // Order of refusals: 401 and 429 here, then 403, then 400.
    const context = await createContext({
      requestId: response.locals.requestId,
      apiKey: request.get('X-Api-Key'),
      address: request.socket.remoteAddress ?? '',
      entrance: 'rest',
      onRateDecision: (decision) => setRateLimitHeaders(response, decision),
    });
    response.locals.principal = context.principal;
    operation.authorize(context);
    const value = await operation.run(variablesOf(route, request), context);
    sendJson(response, bodyOf(route, value, new Date()));
  };
}

/** As `response.json`, but the head and the text leave in one piece, which for a page saves a copy of it. */
function sendJson(response: Response, body: unknown): void {
  const text = JSON.stringify(body);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

const refuseMethod: RequestHandler = (_request, response) => {
  response.set('Allow', 'GET, HEAD');
  throw new DomainError('method_not_allowed', { public: 'Only GET is allowed here.' });
};

function health(check: CheckHealth): RequestHandler {
  return async (_request, response) => {
    const status = await check();
    response.set('Cache-Control', 'no-store').status(HEALTH_STATUS[status]).type('text/plain').send(status);
  };
}
