import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { parse } from 'node:querystring';
import express, { type RequestHandler, type Router } from 'express';
import type { Logger } from 'pino';
import type { Principal } from './api-key/principal';
import { LIMITS } from './limits';

const SANE_REQUEST_ID = /^[\w.:+/=-]{1,128}$/;

/** The HTTP side: request ids, one log line a request, then the two entrances. */
export function createHttpServer(parts: {
  readonly graphql: Router;
  readonly facade: Router;
  readonly log: Logger;
}): Server {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // every answer carries its own time, so no two are equal
  // Express' own stop at 1000 parameters: a filter behind them would be lost, and the search widened.
  app.set('query parser', (text: string) => parse(text, '&', '=', { maxKeys: 0 }));
  app.use(identify, logRequest(parts.log));
  app.use('/graphql', parts.graphql);
  app.use(parts.facade);
  const server = createServer(app);
  server.headersTimeout = LIMITS.requestHeadersMs;
  server.requestTimeout = LIMITS.requestMs;
  return server;
}

const identify: RequestHandler = (request, response, next) => {
  const given = request.get('X-Request-Id');
  const requestId = given && SANE_REQUEST_ID.test(given) ? given : randomUUID();
  response.locals.requestId = requestId;
  response.set({ 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' });
  next();
};

/** Neither keys nor query strings: what was searched for is evidence too. */
function logRequest(log: Logger): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const { method } = request;
    const path = request.originalUrl.split('?', 1)[0];
    response.on('close', () => {
      const principal = response.locals.principal as Principal | undefined;
      log.info(
        {
          requestId: response.locals.requestId,
          method,
          path,
          status: response.statusCode,
          keyId: principal?.keyId,
          ms: Math.round(performance.now() - started),
        },
        response.writableFinished ? 'answered' : 'caller left',
      );
    });
    next();
  };
}
