import { LIMITS } from './limits';
import type { Problem } from './problem';

/** Every code an answer can carry, with the HTTP status REST gives it. Nothing else names a status or a code. */
export const ERRORS = {
  invalid_parameter: { status: 400, doc: 'Invalid parameters or invalid record ID format.' },
  unauthorized: { status: 401, doc: 'API key missing or invalid.' },
  forbidden: {
    status: 403,
    doc: 'The key lacks the required scope, has no tenant claims, or may not be used from there.',
  },
  not_found: { status: 404, doc: 'Record not found within authorized tenants, or no such path.' },
  method_not_allowed: { status: 405, doc: 'The path does not take this method; see the header Allow.' },
  request_timeout: { status: 408, doc: 'The request did not arrive in time.' },
  cursor_of_earlier_log: {
    status: 409,
    doc: 'The cursor is of the log as it was before the database was restored: begin anew with `from=` and the `receivedAt` of the last event you have.',
  },
  payload_too_large: { status: 413, doc: 'The request is larger than the service takes.' },
  uri_too_long: { status: 414, doc: 'The URL is longer than the service takes.' },
  upgrade_required: {
    status: 426,
    doc: 'The export needs HTTP/1.1: over HTTP/1.0 a part of it looks like the whole.',
  },
  rate_limited: { status: 429, doc: 'Rate limit exceeded; Retry-After gives the seconds to wait.' },
  headers_too_large: {
    status: 431,
    doc: "The request's line and headers are larger than the service takes.",
  },
  internal_error: { status: 500, doc: 'The service failed; report the request id.' },
  service_unavailable: { status: 503, doc: 'Audit activity query service temporarily offline.' },
} as const satisfies Record<string, { status: number; doc: string }>;

export type ErrorCode = keyof typeof ERRORS;

interface DomainErrorTexts {
  /** For the client. Never holds a value of another tenant, a key or an internal name. */
  readonly public: string;
  /** For the log. */
  readonly internal?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** Whole seconds after which the same call can succeed. */
  readonly retryAfterSeconds?: number;
  /** What is wrong with the request, thing by thing, where `public` tells it in one text. See `refusal`. */
  readonly problems?: readonly Problem[];
}

/** A refusal or failure with a documented code: the only kind of error whose text reaches a client. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly internal: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;
  readonly problems: readonly Problem[];

  constructor(
    readonly code: ErrorCode,
    texts: DomainErrorTexts,
  ) {
    super(texts.public, { cause: texts.cause });
    this.internal = texts.internal ?? {};
    this.retryAfterSeconds = texts.retryAfterSeconds;
    this.problems = texts.problems ?? [];
  }
}

/**
 * Refuses a request for its problems. Their texts become the message; this is the only place that joins them. A query
 * string may bring more problems than anybody reads, so only the first are told.
 * @param lead what the message begins with
 */
export function refusal(problems: readonly Problem[], lead = ''): DomainError {
  const told = problems.slice(0, LIMITS.parameterProblemsMax).map((problem) => ({
    ...problem,
    message: problem.message.slice(0, LIMITS.problemCharsMax),
  }));
  const left = problems.length - told.length;
  const text = told.map(({ message }) => message).join('; ') + (left > 0 ? `; and ${left} more` : '');
  return new DomainError('invalid_parameter', { public: `${lead}${text}.`, problems: told });
}

/** @throws DomainError `invalid_parameter` that names every problem, if there is one */
export function refuseIf(problems: readonly Problem[]): void {
  if (problems.length > 0) throw refusal(problems);
}

/** Whether the same request would be refused each time. */
export const isFinal = (error: unknown): boolean =>
  error instanceof DomainError && error.code === 'invalid_parameter';

/** The caller got no turn in time, or has too many calls waiting already. Nothing was done. */
export class NoTurn extends DomainError {
  constructor(texts: DomainErrorTexts) {
    super('service_unavailable', texts);
  }
}

/** The values by which events are to be counted are more, or longer, than one question may have. */
export class TooManyValues extends DomainError {
  constructor(text: string) {
    super('invalid_parameter', { public: text });
  }
}

/** An error and what caused it. */
export function* causesOf(error: unknown): Iterable<unknown> {
  for (let [at, depth] = [error, 0]; at && depth < 6; at = (at as { cause?: unknown }).cause, depth++)
    yield at;
}

/** Nobody waits for the answer any more, so no work is begun for it. */
export class CallerGone extends DomainError {
  constructor() {
    super('request_timeout', { public: 'The caller has gone.' });
  }
}

/** Whether an answer ended because its caller has gone, which is no failure. */
export const isCallerGone = (error: unknown): boolean =>
  error instanceof CallerGone ||
  (error as NodeJS.ErrnoException | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE';

/**
 * Turns any thrown value into the error that a client sees: a documented code, and a text that reveals nothing else.
 */
export function toDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  return new DomainError('internal_error', {
    public: 'The service could not answer this request. Report the request id to its operator.',
    cause: thrown,
  });
}

export const serviceUnavailable = (cause: unknown): DomainError =>
  new DomainError('service_unavailable', {
    public: 'The audit activity service is temporarily offline. Try again shortly.',
    retryAfterSeconds: 5,
    cause,
  });

export const isUnavailable = (error: unknown): boolean =>
  error instanceof DomainError && error.code === 'service_unavailable';

/** For a state that the types rule out. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected ${JSON.stringify(value)}`);
}
