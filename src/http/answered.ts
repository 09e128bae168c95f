import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { type Principal, tenantsOf } from '../caller/principal';

/** What became of the events of a batch. */
export interface BatchReceipt {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly unknown[];
}

/** A request when its answer has left, or its caller has. */
interface Answered {
  readonly requestId: string;
  readonly method: string;
  /** Without the query: what was searched for is evidence too. */
  readonly path: string;
  /** The pattern that took the request; null: none did. */
  readonly route: string | null;
  readonly status: number;
  /** Null: refused before the key was known. */
  readonly principal: Principal | null;
  /** Events in the answer, where it has any. */
  readonly rows: number | undefined;
  /** What became of the batch the request brought, if it brought one. */
  readonly receipt: BatchReceipt | undefined;
  readonly ms: number;
  /** Where the request is part of a trace. */
  readonly traceId: string | undefined;
  /** Whether the whole answer left. */
  readonly complete: boolean;
}

export type OnAnswered = (answered: Answered) => void;

/** Tells of each request once, when it is over. */
export function tellWhenAnswered(listeners: readonly OnAnswered[]): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const path = request.originalUrl.split('?', 1)[0] ?? '';
    response.on('close', () => {
      const answered = describe(request, response, path, performance.now() - started);
      for (const listener of listeners) listener(answered);
    });
    next();
  };
}

const describe = (request: Request, response: Response, path: string, ms: number): Answered => ({
  requestId: response.locals.requestId,
  method: request.method,
  path,
  route: routeOf(request),
  status: response.statusCode,
  principal: response.locals.principal ?? null,
  rows: response.locals.rows,
  receipt: response.locals.receipt,
  ms,
  traceId: response.locals.traceId,
  complete: response.writableFinished,
});

/** The pattern of the path that took a request; null: none did. */
export function routeOf({ route, baseUrl }: Request): string | null {
  if (!route) return null;
  const path = baseUrl + route.path;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

const TENANTS_LOGGED_MAX = 20;

/** One line a request: whose key and which tenants, never the key, the query or a value of the answer. */
export function logAnswered(log: Logger): OnAnswered {
  return ({ requestId, method, path, route, status, principal, rows, ms, traceId, complete }) =>
    log.info(
      {
        ...{ requestId, method, path, route, status, rows },
        keyId: principal?.keyId,
        tenants: principal ? tenantsOf(principal).slice(0, TENANTS_LOGGED_MAX) : undefined,
        ms: Math.round(ms),
        traceId,
      },
      complete ? 'answered' : 'caller left',
    );
}
