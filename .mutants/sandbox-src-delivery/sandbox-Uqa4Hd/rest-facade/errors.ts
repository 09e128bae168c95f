import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { DomainError, ERRORS, toDomainError } from '../src/errors';
import { restRefusal } from '../src/http/refusal';

/** Answers any error that was thrown. Only here a code becomes a status. */
export function errorResponder(log: Logger): ErrorRequestHandler {
  return (thrown, request, response, next) => {
    if (response.headersSent) return next(thrown);
    const error = routingError(thrown) ?? toDomainError(thrown);
    const { requestId } = response.locals;
    if (ERRORS[error.code].status >= 500) {
      log.error(
        { err: thrown, internal: error.internal, requestId, path: request.path },
        `answered ${error.code}`,
      );
    }
    sendError(response, error);
  };
}

function sendError(response: Response, error: DomainError): void {
  if (error.retryAfterSeconds) response.set('Retry-After', String(error.retryAfterSeconds));
  const { status } = ERRORS[error.code];
  // By default, caches keep answers with 404, 405, 410 and 414.
  response
    .set('Cache-Control', 'no-store')
    .status(status)
    .json(restRefusal(error, response.locals.requestId));
}

/** The error for a path that the router could not decode. */
function routingError(thrown: unknown): DomainError | null {
  if (!(thrown instanceof URIError)) return null;
  return new DomainError('invalid_parameter', { public: 'The path is not well-formed.', cause: thrown });
}
