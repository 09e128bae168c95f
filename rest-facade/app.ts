import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { AcceptCall, Call } from '../src/caller/call';
import { askerOf } from '../src/caller/principal';
import { whenClosed, within } from '../src/deadline';
import { DomainError, serviceUnavailable } from '../src/errors';
import { furtherCalls, hasMark, type WholeTexts } from '../src/event/marks';
import { type CheckHealth, HEALTH_PATH, HEALTH_STATUS } from '../src/http/health';
import { errorResponder, refuseMethod } from '../src/http/refusal';
import { writePieces } from '../src/http/write-pieces';
import { LIMITS } from '../src/limits';
import type { BeginExport } from '../src/modules/export/export-events';
import type { ReportEntrance } from '../src/modules/reports/module';
import type { Tracing } from '../src/observe/tracing';
import { API_BASE_PATH } from '../src/version';
import { deprecationHeaders } from './deprecation';
import { documentation } from './documentation';
import { answerExport, EXPORT_PATH } from './export';
import { answerPackage, PACKAGE_PATH, type PackageEntrance } from './package';
import { answerNewRun, answerRunFile, expressPath, MAKE_ROUTE, RUN_FILE_ROUTE } from './report';
import {
  bodyOf,
  documentIn,
  parseRequest,
  prepareOperation,
  type Route,
  setRateLimitHeaders,
  specsOf,
} from './route';
import { ROUTES } from './routes';
import { answerTail, TAIL_PATH, type TailEntrance } from './tail';

interface FacadeParts {
  readonly schema: GraphQLSchema;
  readonly acceptCall: AcceptCall;
  readonly beginExport: BeginExport;
  readonly packages: PackageEntrance;
  readonly tail: TailEntrance;
  readonly reports: ReportEntrance;
  readonly large: WholeTexts;
  readonly checkHealth: CheckHealth;
  /** Null: the service keeps no traces. */
  readonly tracing?: Tracing | null;
  readonly log: Logger;
}

/** The public contract: the routes, their description, the health check, and an answer to any other request. */
export function createFacade(parts: FacadeParts): Router {
  const router = Router({ caseSensitive: true });
  // These stand before the routes, because one route would take their paths for record ids.
  router
    .route(EXPORT_PATH)
    .get(answerExport(parts.beginExport, parts.large, contextOf(parts)))
    .all(refuseMethod);
  router
    .route(PACKAGE_PATH)
    .get(answerPackage(parts.beginExport, parts.packages, parts.large, contextOf(parts)))
    .all(refuseMethod);
  router
    .route(TAIL_PATH)
    .get(answerTail(parts.tail, contextOf(parts)))
    .all(refuseMethod);
  for (const route of ROUTES) {
    const path = API_BASE_PATH + route.path.replace(/\{(\w+)\}/g, ':$1');
    router.route(path).get(answer(route, parts)).all(refuseMethod);
  }
  router
    .route(expressPath(RUN_FILE_ROUTE))
    .get(answerRunFile(parts.reports, contextOf(parts)))
    .all(refuseMethod);
  router
    .route(expressPath(MAKE_ROUTE))
    .get(answerNewRun(parts.reports, contextOf(parts)))
    .all(refuseMethod);
  router.route(HEALTH_PATH).get(health(parts.checkHealth)).all(refuseMethod);
  router.use('/swagger', documentation(parts.schema));
  router.use(() => {
    throw new DomainError('not_found', { public: 'There is no such path.' });
  });
  router.use(errorResponder(parts.log, { logsUnavailable: true }));
  return router;
}

/** Identifies the caller. 401 and 429 come from here. */
const contextOf =
  ({ acceptCall }: Pick<FacadeParts, 'acceptCall'>) =>
  async (request: Request, response: Response): Promise<Call> => {
    const context = await acceptCall({
      requestId: response.locals.requestId,
      apiKey: request.get('X-Api-Key'),
      address: request.ip ?? '',
      entrance: 'rest',
      gone: whenClosed(response),
      onRateDecision: (decision) => setRateLimitHeaders(response, decision),
      onValue: (_value, rows) => {
        response.locals.rows = rows;
      },
    });
    response.locals.principal = context.principal;
    return context;
  };

function answer(route: Route, { schema, acceptCall, large, tracing = null }: FacadeParts): RequestHandler {
  const operation = prepareOperation(schema, route);
  const specs = specsOf(route);
  const spanName = `query ${route.rootField}`;
  const identify = contextOf({ acceptCall });
  const notice = route.deprecation && deprecationHeaders(route.deprecation);
  return async (request, response) => {
    response.setHeader('Cache-Control', 'no-store');
    if (notice) response.set(notice);
    const { query, params } = request;
    const pieces = await within(LIMITS.requestDeadlineMs, tooLate, async () => {
      // Refusals have this order: 401 and 429 here, then 403, then 400.
      const context = await identify(request, response);
      operation.authorize(context, { ...query, ...params });
      const parsed = parseRequest(route, specs, { query, params });
      const run = () => operation.run(parsed.values, { ...context, parsed });
      const value = await (tracing ? tracing.span(spanName, {}, run) : run());
      const document = documentIn(route, parsed.values, value);
      if (document) {
        response.setHeader('Content-Type', document.type);
        return document.text;
      }
      const text = JSON.stringify(bodyOf(route, value, new Date()));
      // Lists have the beginnings of statements alone.
      if (route.envelope === 'list' || !hasMark(text)) return text;
      context.charge(furtherCalls([text]));
      return large.pieces([text], askerOf(context));
    });
    sendJson(response, pieces);
  };
}

/** Each step has its own time limit. Together the steps could take longer than callers are told to wait. */
export const tooLate = () => serviceUnavailable(new Error(`no answer in ${LIMITS.requestDeadlineMs} ms`));

/**
 * Works like `response.json`, but sends head and text in one piece, which saves a copy of a page. A long text is turned
 * into bytes at once. While a slow caller has not read it, it is then held only once, and not as text and as bytes.
 * @param json in pieces if it has a large statement
 */
function sendJson(response: Response, json: string | readonly Buffer[]): void {
  if (!response.hasHeader('Content-Type'))
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
  if (typeof json !== 'string') {
    writePieces(response, json);
    return;
  }
  const sent = json.length > LIMITS.answerBytesAssumed ? Buffer.from(json) : json;
  response.setHeader('Content-Length', Buffer.byteLength(sent));
  response.end(sent);
}

function health(check: CheckHealth): RequestHandler {
  return async (_request, response) => {
    const status = await check();
    response.set('Cache-Control', 'no-store').status(HEALTH_STATUS[status]).type('text/plain').send(status);
  };
}
