import { CombinedError } from 'urql';
import type { Problem } from '../../../src/problem';

/** A failed answer of the service's paths other than GraphQL. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  constructor(
    readonly code: string,
    text: string,
    readonly requestId: string | null = null,
  ) {
    super(text);
  }
}

const HINTS: Record<string, string> = {
  service_unavailable: 'Choose a shorter time range or fewer filters, or try again shortly.',
  rate_limited: 'Wait that long, then try again.',
  forbidden: 'Sign in with a key that may do this.',
  unauthorized: 'The session has ended. Sign in again.',
  internal_error: 'Try again; if it happens again, tell the operator the request below.',
  offline: 'Check that the service is running and that the network works, then try again.',
};

export interface ErrorText {
  readonly code: string;
  readonly text: string;
  /** What the reader can do. */
  readonly hint: string | undefined;
  readonly requestId: string | null;
}

/** What the page shows of a failure. The service's own texts are written for its callers. */
export function describeError(error: CombinedError | Error): ErrorText {
  const { code, text, requestId } = partsOf(error);
  return { code, text, hint: HINTS[code], requestId };
}

function partsOf(error: CombinedError | Error): Omit<ErrorText, 'hint'> {
  if (error instanceof ServiceError)
    return { code: error.code, text: error.message, requestId: error.requestId };
  if (!(error instanceof CombinedError))
    return { code: 'internal_error', text: error.message, requestId: null };
  const [first] = error.graphQLErrors;
  if (!first) return { code: 'offline', text: 'The service cannot be reached.', requestId: null };
  const { code, requestId } = first.extensions;
  const response = error.response as Response | undefined;
  return {
    code: typeof code === 'string' ? code : 'internal_error',
    text: first.message,
    requestId: typeof requestId === 'string' ? requestId : (response?.headers?.get('X-Request-Id') ?? null),
  };
}

/** What the service says of each field of a form that it refused: its first problem. */
export function problemsByField(error: CombinedError | Error | null): Readonly<Record<string, string>> {
  const problems = error instanceof CombinedError ? error.graphQLErrors[0]?.extensions.problems : null;
  const found = (Array.isArray(problems) ? problems : []) as Partial<Pick<Problem, 'field' | 'message'>>[];
  return Object.fromEntries(found.toReversed().map(({ field, message }) => [field ?? '', message ?? '']));
}
