import type { RequestHandler } from 'express';
import { DomainError } from '../errors';

/** The body of a refusal, in the form of each entrance. */
export const restRefusal = ({ code, message }: DomainError, requestId: string) => ({
  error: { code, message, requestId },
});

export const graphqlRefusal = ({ code, message }: DomainError, requestId: string) => ({
  errors: [{ message, extensions: { code, requestId } }],
});

export const GRAPHQL_PATH = '/graphql';

/** The body of a refusal before the request reached an entrance, in the form of the entrance of its path. */
export const refusalAt = (path: string, error: DomainError, requestId: string) =>
  path === GRAPHQL_PATH ? graphqlRefusal(error, requestId) : restRefusal(error, requestId);

/** Refuses methods other than GET and HEAD, for a resource that is only read. */
export const refuseMethod: RequestHandler = (_request, response) => {
  response.set('Allow', 'GET, HEAD');
  throw new DomainError('method_not_allowed', { public: 'Only GET is allowed here.' });
};
