import type { Server, ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { addressGroup, plainAddress } from '../address-list';
import { type Principal, tenantsOf } from '../caller/principal';
import { Holdings } from '../caller/rate-limit/holdings';
import { DomainError } from '../errors';
import { LIMITS } from '../limits';

/** The part of the metrics that this class uses. */
interface Gauges {
  gauge(name: string, help: string, value: () => number): void;
}

/** The requests that are being answered. Their number is limited, and they may finish when the service stops. */
export class InFlight {
  readonly #open = new Set<ServerResponse>();
  /** The holder of the place of each request in work. */
  readonly #places = new Map<ServerResponse, string>();
  readonly #held: Holdings;
  /** Called when a place is left. */
  readonly #waiting = new Set<() => void>();
  #stopping = false;

  constructor(
    max: number = LIMITS.requestsInWorkMax,
    maxPerAddress: number = LIMITS.requestsInWorkPerAddressMax,
  ) {
    this.#held = new Holdings({ each: maxPerAddress, all: max });
  }

  /** Requests in work. */
  get count(): number {
    return this.#held.all;
  }

  readonly metrics = (metrics: Gauges): void =>
    metrics.gauge('http_requests_in_flight', 'Requests being answered.', () => this.count);

  /**
   * Counts a request until it is answered. Behind a slow database, requests pile up faster than they fail. Beyond the
   * limit they are refused at once, which takes no memory.
   * @throws DomainError `service_unavailable`
   */
  readonly admit: RequestHandler = (request, response, next) => {
    if (this.#stopping) response.shouldKeepAlive = false;
    this.#takePlace(request, response);
    this.#open.add(response);
    response.once('close', () => {
      this.#open.delete(response);
      this.#leavePlace(response);
    });
    next();
  };

  /**
   * Wraps steps that read a body. They free the request's place meanwhile, so that a body that never arrives keeps no
   * other request out.
   */
  readonly whileReading = (...steps: readonly RequestHandler[]): readonly RequestHandler[] => [
    (_request, response, next) => {
      this.#leavePlace(response);
      next();
    },
    ...steps,
    (request, response, next) => {
      if (response.closed) return;
      this.#takePlace(request, response);
      next();
    },
  ];

  /**
   * Waits while the request's place is free, because waiting takes no work. Then it waits for a place: many calls may
   * wait for the same.
   * @throws DomainError `service_unavailable`
   */
  async whileWaiting<T>(request: Request, response: Response, wait: () => Promise<T>): Promise<T> {
    this.#leavePlace(response);
    const value = await wait();
    const until = performance.now() + LIMITS.answerWaitMs;
    while (!response.closed && !this.#isPlaceFree(request) && performance.now() < until)
      await this.#placeLeft(until - performance.now());
    if (!response.closed) this.#takePlace(request, response);
    return value;
  }

  #isPlaceFree(request: Request): boolean {
    const holder = holderOf(request);
    if (!this.#held.take(holder, 1)) return false;
    this.#held.give(holder, 1);
    return true;
  }

  /** Resolves when a request leaves its place, or after this time. */
  #placeLeft(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#waiting.add(end);
    });
  }

  #takePlace(request: Request, response: Response): void {
    const holder = holderOf(request);
    if (!this.#held.take(holder, 1)) {
      throw new DomainError('service_unavailable', {
        public: 'The service is answering as many requests as it can. Try again shortly.',
        retryAfterSeconds: 1,
      });
    }
    this.#places.set(response, holder);
  }

  #leavePlace(response: Response): void {
    const holder = this.#places.get(response);
    if (holder === undefined) return;
    this.#places.delete(response);
    this.#held.give(holder, 1);
    for (const end of [...this.#waiting]) end();
  }

  /** Stops listening, lets open requests finish, and cuts off those that take longer than `drainMs`. */
  async drain(server: Server, drainMs: number): Promise<void> {
    this.#stopping = true;
    for (const response of this.#open) if (!response.headersSent) response.shouldKeepAlive = false;
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const timer = setTimeout(() => server.closeAllConnections(), drainMs);
    await ended;
    clearTimeout(timer);
  }
}

const holderOf = (request: Request) => addressGroup(plainAddress(request.ip ?? ''));

/** The outcome of a batch's events. */
export interface BatchReceipt {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly unknown[];
}

/** A request whose answer has left or whose caller has gone. */
interface Answered {
  readonly requestId: string;
  readonly method: string;
  /** The path without the query, because search words are evidence too. */
  readonly path: string;
  /** The pattern that matched the path; null: none did. */
  readonly route: string | null;
  readonly status: number;
  /** Null: the request was refused before its key was checked. */
  readonly principal: Principal | null;
  /** Number of events in the answer; undefined: the answer has none to count. */
  readonly rows: number | undefined;
  /** The outcome of the batch that the request brought, if it brought one. */
  readonly receipt: BatchReceipt | undefined;
  readonly ms: number;
  /** The id of the trace, if the request is part of one. */
  readonly traceId: string | undefined;
  /** Whether the whole answer left. */
  readonly complete: boolean;
}

export type OnAnswered = (answered: Answered) => void;

/** Calls the listeners once for each request, when it is over. */
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

/** The pattern of the path that matched a request; null: none did. */
export function routeOf({ route, baseUrl }: Request): string | null {
  if (!route) return null;
  const path = baseUrl + route.path;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

const TENANTS_LOGGED_MAX = 20;

/**
 * Logs one line for each request. The line has the key's id and the tenants, and never the key, the query or a value of
 * the answer.
 */
export function logAnswered(log: Logger): OnAnswered {
  return ({ requestId, method, path, route, status, principal, rows, ms, traceId, complete }) =>
    log.info(
      {
        requestId,
        method,
        path,
        route,
        status,
        rows,
        keyId: principal?.keyId,
        tenants: principal ? tenantsOf(principal).slice(0, TENANTS_LOGGED_MAX) : undefined,
        ms: Math.round(ms),
        traceId,
      },
      complete ? 'answered' : 'caller left',
    );
}
