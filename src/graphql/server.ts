import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { DomainError, ERRORS, toDomainError } from '../errors';
import { IngestGate } from '../ingest/gate';
import { LIMITS } from '../limits';
import type { CreateContext, GraphqlContext } from './context';

/** `POST /graphql`, for agents, operators and dashboards. Nothing that matters lives in an Apollo plugin. */
export async function createGraphqlRouter(parts: {
  readonly schema: GraphQLSchema;
  readonly createContext: CreateContext;
  readonly log: Logger;
}): Promise<Router> {
  const { schema, createContext, log } = parts;
  const apollo = new ApolloServer<GraphqlContext>({
    schema,
    includeStacktraceInErrorResponses: false,
    introspection: true,
    formatError: toPublicError,
    logger: { debug: () => {}, info: () => {}, warn: (m) => log.warn(m), error: (m) => log.error(m) },
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      logFailures(log),
    ],
    stopOnTerminationSignals: false,
  });
  await apollo.start();

  /** Before the body is read: a caller without a key costs nothing more. */
  const authenticate: RequestHandler = async (request, response, next) => {
    response.locals.context = await createContext({
      requestId: response.locals.requestId,
      apiKey: request.get('X-Api-Key'),
      address: request.socket.remoteAddress ?? '',
      entrance: 'graphql',
    });
    response.locals.principal = response.locals.context.principal;
    next();
  };
  const gate = new IngestGate(LIMITS.ingestInWorkMax, LIMITS.ingestWaitingMax);
  /** Before the body is read too: a batch that has to wait its turn takes no memory yet. */
  const takeTurn: RequestHandler = async (_request, response, next) => {
    if (response.locals.principal.kind !== 'agent') return next();
    const leave = await gate.enter();
    if (!leave) {
      throw new DomainError('service_unavailable', {
        public: 'The service is taking in as many batches as it can. Send this one again shortly.',
        retryAfterSeconds: 1,
      });
    }
    if (response.closed) return leave();
    response.once('close', leave);
    next();
  };
  const refuse: ErrorRequestHandler = (error, _request, response, _next) => {
    const refused = toDomainError(error);
    if (refused.code === 'internal_error')
      log.error({ err: error, requestId: response.locals.requestId }, 'failed');
    if (refused.retryAfterSeconds) response.set('Retry-After', String(refused.retryAfterSeconds));
    const extensions = { code: refused.code, requestId: response.locals.requestId };
    response.status(ERRORS[refused.code].status).json({ errors: [{ message: refused.message, extensions }] });
  };
  const router = Router();
  router.post(
    '/',
    authenticate,
    takeTurn,
    readBody,
    expressMiddleware(apollo, { context: async ({ res }) => res.locals.context }),
  );
  router.all('/', (_request, response) => {
    response.set('Allow', 'POST');
    throw new DomainError('method_not_allowed', { public: 'Only POST is allowed here.' });
  });
  router.use(refuse);
  return router;
}

const parseBody = express.json({ limit: LIMITS.ingestBodyBytesMax });
const readBody: RequestHandler = (request, response, next) =>
  parseBody(request, response, (error?: unknown) => next(error && bodyError(error)));

/** What the body parser refused, as a documented code. */
function bodyError(error: unknown): unknown {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') {
    const limit = `${LIMITS.ingestBodyBytesMax} bytes, inflated`;
    return new DomainError('payload_too_large', { public: `The body is larger than ${limit}.` });
  }
  if (status === undefined || status >= 500) return error;
  return new DomainError('invalid_parameter', { public: 'The body is not readable JSON.', cause: error });
}

const originOf = (error: unknown) => (error instanceof GraphQLError ? (error.originalError ?? error) : error);

/**
 * Whether an error is GraphQL's own about the caller's document or variables. One that arose at a field, and
 * names no part of the document, is about a value of ours, which its text may hold.
 */
const blamesTheCaller = (error: unknown) => {
  const origin = originOf(error);
  return origin instanceof GraphQLError && (origin.nodes !== undefined || !(error as GraphQLError).path);
};

/** Documented codes only; the text of an unplanned error stays in the log. */
function toPublicError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  if (blamesTheCaller(error)) {
    return { message: formatted.message, extensions: { code: 'invalid_parameter' } };
  }
  const { message, code } = toDomainError(originOf(error));
  return { ...formatted, message, extensions: { code } };
}

/** One line for each failure that is ours, with the request id the caller has in `X-Request-Id`. */
function logFailures(log: Logger): ApolloServerPlugin<GraphqlContext> {
  return {
    requestDidStart: async () => ({
      didEncounterErrors: async ({ errors, contextValue }) => {
        for (const error of errors.filter((e) => !blamesTheCaller(e))) {
          const origin = originOf(error);
          const { code, internal } = toDomainError(origin);
          if (ERRORS[code].status < 500) continue;
          log.error({ err: origin, internal, requestId: contextValue.requestId }, `answered ${code}`);
        }
      },
    }),
  };
}
