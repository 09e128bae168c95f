import type { Server, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { DomainError } from '../errors';
import { LIMITS } from '../limits';

/** The requests being answered: bounded in number, and let finish when the service stops. */
export class InFlight {
  readonly #open = new Set<ServerResponse>();
  #stopping = false;

  constructor(private readonly max: number = LIMITS.requestsInWorkMax) {}

  get count(): number {
    return this.#open.size;
  }

  /**
   * Counts a request until it is answered. Behind a slow database requests pile up faster than they fail: beyond the
   * bound they are refused at once, which takes no memory. @throws DomainError `service_unavailable`
   */
  readonly admit: RequestHandler = (_request, response, next) => {
    if (this.#stopping) response.shouldKeepAlive = false;
    if (this.#open.size >= this.max) {
      throw new DomainError('service_unavailable', {
        public: 'The service is answering as many requests as it can. Try again shortly.',
        retryAfterSeconds: 1,
      });
    }
    this.#open.add(response);
    response.once('close', () => this.#open.delete(response));
    next();
  };

  /** Ends listening, lets what is in flight finish, and cuts off what has not in `drainMs`. */
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
