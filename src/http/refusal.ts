import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { DomainError, ERRORS, toDomainError } from '../errors';

/** The body of a refusal, in the form of each entrance. */
export const restRefusal = ({ code, message }: DomainError, requestId: string) => ({
  error: { code, message, requestId },
});

export const graphqlRefusal = ({ code, message }: DomainError, requestId: string) => ({
  errors: [{ message, extensions: { code, requestId } }],
});

/** A refusal in JSON-RPC, by a code that the protocol leaves to the service. Clients do not show headers to an assistant. */
const mcpRefusal = ({ code, message, retryAfterSeconds }: DomainError, requestId: string) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32000, message, data: { code, requestId, retryAfterSeconds } },
});

export const GRAPHQL_PATH = '/graphql';
export const MCP_PATH = '/mcp';

const REFUSALS: ReadonlyMap<string, (error: DomainError, requestId: string) => object> = new Map<
  string,
  (error: DomainError, requestId: string) => object
>([
  [GRAPHQL_PATH, graphqlRefusal],
  [MCP_PATH, mcpRefusal],
]);

/** The body of a refusal before the request reached an entrance, in the form of the entrance of its path. */
export const refusalAt = (path: string, error: DomainError, requestId: string) =>
  (REFUSALS.get(path.toLowerCase()) ?? restRefusal)(error, requestId);

/** Refuses methods other than GET and HEAD, for a resource that is only read. */
export const refuseMethod: RequestHandler = (_request, response) => {
  response.set('Allow', 'GET, HEAD');
  throw new DomainError('method_not_allowed', { public: 'Only GET is allowed here.' });
};

/**
 * Answers any error that was thrown, in the form of the entrance of the path. Only here a code becomes a status. An
 * answer that has begun is cut off.
 * @param logsUnavailable whether to log that the service is unavailable too, and not only failures of its own
 */
export const errorResponder =
  (log: Logger, { logsUnavailable = false } = {}): ErrorRequestHandler =>
  (thrown, request, response, _next) => {
    const error = routingError(thrown) ?? toDomainError(thrown);
    const { code, internal, retryAfterSeconds } = error;
    const { status } = ERRORS[code];
    const { requestId } = response.locals;
    const path = `${request.baseUrl}${request.path}`.replace(/(?<=.)\/$/, '');
    if (logsUnavailable ? status >= 500 : code === 'internal_error')
      log.error({ err: thrown, internal, requestId, path }, `answered ${code}`);
    if (response.headersSent) return void response.destroy();
    if (retryAfterSeconds) response.set('Retry-After', String(retryAfterSeconds));
    // By default, caches keep answers with 404, 405, 410 and 414.
    response
      .set('Cache-Control', 'no-store')
      .status(status)
      .json(refusalAt(path, error, requestId));
  };

/** The error for a path that the router could not decode. */
function routingError(thrown: unknown): DomainError | null {
  if (!(thrown instanceof URIError)) return null;
  return new DomainError('invalid_parameter', { public: 'The path is not well-formed.', cause: thrown });
}
