import type { components } from './api.js';

/** The body of a refusal, typed by the API's own description. */
export type ErrorCode = components['schemas']['Error']['error']['code'];

/** The service answered with an error, after every retry that could have helped. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: ErrorCode | 'unknown',
    message: string,
    /** The id of the request, for the people who run the service. */
    readonly requestId: string | null,
    /** Null: the service did not say. */
    readonly retryAfterSeconds: number | null,
  ) {
    super(`${code}: ${message}${requestId === null ? '' : ` (request ${requestId})`}`);
    this.name = new.target.name;
  }
}

export class InvalidParameterError extends ApiError {}
export class UnauthorizedError extends ApiError {}
export class ForbiddenError extends ApiError {}
export class NotFoundError extends ApiError {}
export class RateLimitedError extends ApiError {}
export class ServiceUnavailableError extends ApiError {}

/** The service could not be reached, or its answer broke off. */
export class ConnectionError extends Error {
  constructor(message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'ConnectionError';
  }
}

const CLASSES: Partial<Record<ErrorCode, typeof ApiError>> = {
  invalid_parameter: InvalidParameterError,
  unauthorized: UnauthorizedError,
  forbidden: ForbiddenError,
  not_found: NotFoundError,
  rate_limited: RateLimitedError,
  service_unavailable: ServiceUnavailableError,
};

/** The error for an answer that is not a success. */
export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  const { status, headers } = response;
  let said: Partial<components['schemas']['Error']['error']> = {};
  try {
    said = (JSON.parse(text) as components['schemas']['Error']).error ?? {};
  } catch {
    // A proxy before the service may answer with a page that is not JSON.
  }
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  const Class = (said.code && CLASSES[said.code]) || ApiError;
  return new Class(
    status,
    said.code ?? 'unknown',
    said.message ?? `HTTP ${status}`,
    said.requestId ?? headers.get('X-Request-Id'),
    Number.isFinite(seconds) ? seconds : null,
  );
}
