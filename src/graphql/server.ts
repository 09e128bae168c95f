import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import { type RequestHandler, Router } from 'express';
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema, type ValidationRule } from 'graphql';
import type { Logger } from 'pino';
import type { AcceptCall, Call } from '../caller/call';
import { sessionRequestOf } from '../caller/session/session-cookie';
import { isUnattended, sessionTokenOf } from '../caller/session/session-token';
import { whenClosed } from '../deadline';
import { DomainError, ERRORS, toDomainError } from '../errors';
import type { WholeTexts } from '../event/marks';
import type { BatchReceipt } from '../http/in-flight';
import { errorResponder } from '../http/refusal';
import { LIMITS } from '../limits';
import type { Tracing } from '../observe/tracing';
import { limitDocument, refuseIntrospection } from './limits';
import { type AgentBodies, parseBytes, refuseLongDocument, takeBytes } from './read-body';
import { sendLarge } from './send-large';

/** `POST /graphql`, for agents, operators and dashboards. Nothing important depends on an Apollo plugin. */
export async function createGraphqlRouter(parts: {
  readonly schema: GraphQLSchema;
  readonly acceptCall: AcceptCall;
  readonly agents: AgentBodies;
  readonly large: WholeTexts;
  /** Wraps the steps that read a body. Meanwhile the request does not count as in work. */
  readonly whileReading: (...steps: readonly RequestHandler[]) => readonly RequestHandler[];
  /** Null: the service keeps no traces. */
  readonly tracing?: Tracing | null;
  readonly log: Logger;
}): Promise<Router> {
  const { schema, acceptCall, agents, large, whileReading, tracing = null, log } = parts;
  const apolloWith = async (rules: readonly ValidationRule[]) => {
    const apollo = new ApolloServer<Call>({
      schema,
      includeStacktraceInErrorResponses: false,
      introspection: true, // a rule of this service decides who may use it
      hideSchemaDetailsFromClientErrors: rules.includes(refuseIntrospection),
      csrfPrevention: true,
      allowBatchedHttpRequests: false,
      persistedQueries: false,
      parseOptions: { maxTokens: LIMITS.graphqlTokensMax },
      validationRules: [...rules],
      formatError: toPublicError,
      logger: { debug: () => {}, info: () => {}, warn: (m) => log.warn(m), error: (m) => log.error(m) },
      plugins: [
        ApolloServerPluginCacheControlDisabled(),
        ApolloServerPluginLandingPageDisabled(),
        logFailures(log),
        ...(tracing ? [nameOperations(tracing)] : []),
      ],
      stopOnTerminationSignals: false,
    });
    await apollo.start();
    return expressMiddleware(apollo, { context: async ({ res }) => res.locals.context });
  };
  // There are two servers because each checks a document only once, and a document that is valid for operators may not
  // be valid for others.
  const forOperators = await apolloWith([limitDocument(LIMITS.graphqlOperatorCostMax)]);
  const forOthers = await apolloWith([limitDocument(LIMITS.graphqlCostMax), refuseIntrospection]);
  const answer: RequestHandler = (request, response, next) => {
    const run = response.locals.principal.kind === 'operator' ? forOperators : forOthers;
    return tracing
      ? tracing.span('graphql', {}, async () => run(request, response, next))
      : run(request, response, next);
  };

  /** Runs before the body is read, so that a caller without a key causes no further cost. */
  const authenticate: RequestHandler = async (request, response, next) => {
    response.locals.context = await acceptCall({
      requestId: response.locals.requestId,
      apiKey: request.get('X-Api-Key'),
      sessionToken: sessionTokenOf(sessionRequestOf(request)),
      isUnattended: isUnattended(sessionRequestOf(request)),
      address: request.ip ?? '',
      entrance: 'graphql',
      gone: whenClosed(response),
      onValue: (value, rows) => {
        if (isReceipt(value)) response.locals.receipt = value;
        response.locals.rows = (response.locals.rows ?? 0) + (isReceipt(value) ? value.accepted : rows);
      },
    });
    response.locals.principal = response.locals.context.principal;
    next();
  };
  /** Runs after the body has arrived, so that a slow body blocks no other. Runs before the body is parsed. */
  const takeTurn: RequestHandler = async ({ body }, response, next) => {
    const { principal } = response.locals;
    if (principal.kind !== 'agent') return next();
    const pieces: readonly Buffer[] = body ?? [];
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const leave = await agents.enter(principal, bytes);
    if (response.closed) return leave();
    response.once('close', leave);
    next();
  };
  const router = Router();
  router.post(
    '/',
    authenticate,
    ...whileReading(takeBytes()),
    takeTurn,
    parseBytes(agents),
    refuseLongDocument,
    sendLarge(large),
    answer,
  );
  router.all('/', (_request, response) => {
    response.set('Allow', 'POST');
    throw new DomainError('method_not_allowed', { public: 'Only POST is allowed here.' });
  });
  router.use(errorResponder(log));
  return router;
}

const isReceipt = (value: unknown): value is BatchReceipt =>
  typeof value === 'object' && value !== null && 'accepted' in value && 'duplicates' in value;

/** Names the operation of a request in its trace. */
const nameOperations = (tracing: Tracing): ApolloServerPlugin<Call> => ({
  requestDidStart: async () => ({
    didResolveOperation: async ({ operation, operationName }) =>
      tracing.note({
        ...(operation ? { 'graphql.operation.type': operation.operation } : {}),
        ...(operationName ? { 'graphql.operation.name': operationName } : {}),
      }),
  }),
});

const originOf = (error: unknown) => (error instanceof GraphQLError ? (error.originalError ?? error) : error);

/**
 * Whether GraphQL blames the caller's document or variables. An error that arose at a field, and names no part of the
 * document, is about one of the service's values. Its text may contain that value.
 */
const blamesTheCaller = (error: unknown) => {
  const origin = originOf(error);
  return origin instanceof GraphQLError && (origin.nodes !== undefined || !(error as GraphQLError).path);
};

/** Shows documented codes only. The text of an unplanned error stays in the log. */
function toPublicError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  if (blamesTheCaller(error)) {
    // GraphQL repeats the whole value that it refuses.
    const message = formatted.message.slice(0, LIMITS.errorMessageCharsMax);
    return { message, extensions: { code: 'invalid_parameter' } };
  }
  const { message, code, problems } = toDomainError(originOf(error));
  return { ...formatted, message, extensions: { code, ...(problems.length > 0 && { problems }) } };
}

/** Logs one line for each failure of the service, with the request id that the caller has in `X-Request-Id`. */
function logFailures(log: Logger): ApolloServerPlugin<Call> {
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
