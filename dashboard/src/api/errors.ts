import { CombinedError } from 'urql';
import type { Problem } from '../../../src/problem';
import type { In } from '../lib/texts';
import type { ERRORS } from './texts';

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

/** No answer came, and no failure either. */
export const noAnswer = () => new ServiceError('no_answer', '');

/** The codes of failures for which there is something to do. */
const HINTED = [
  ...(['service_unavailable', 'rate_limited', 'forbidden'] as const),
  ...(['unauthorized', 'internal_error', 'offline', 'other_version'] as const),
];

/**
 * What the service says of a document that does not fit its schema. The build checks those of the page, so the page is of
 * another version, as while the service is being upgraded.
 */
const MISFIT = /^(Cannot query field|Unknown argument|Unknown type) "/;

export interface ErrorText {
  readonly code: string;
  readonly text: string;
  /** What the reader can do. */
  readonly hint: string | undefined;
  readonly requestId: string | null;
  /** Whether the text is the service's own, which is in English. */
  readonly isOfService: boolean;
}

/** The codes of failures for which the page has the text. */
const OWN: Readonly<Record<string, 'unreachable' | 'noAnswer' | 'otherVersion'>> = {
  offline: 'unreachable',
  no_answer: 'noAnswer',
  other_version: 'otherVersion',
};

/** What the page shows of a failure. The service's own texts are written for its callers. */
export function describeError(error: CombinedError | Error, t: In<typeof ERRORS>): ErrorText {
  const { code, text, requestId } = partsOf(error);
  const hinted = HINTED.find((one) => one === code);
  const own = OWN[code] ? t[OWN[code]] : null;
  const isOfService = own === null && (error instanceof ServiceError || error instanceof CombinedError);
  return { code, text: own ?? text, hint: hinted && t[hinted], requestId, isOfService };
}

export const codeOf = (error: CombinedError | Error): string => partsOf(error).code;

function partsOf(error: CombinedError | Error): Pick<ErrorText, 'code' | 'text' | 'requestId'> {
  if (error instanceof ServiceError)
    return { code: error.code, text: error.message, requestId: error.requestId };
  // What the page says itself, such as of a field of a form, says what to do.
  if (!(error instanceof CombinedError)) return { code: 'of_page', text: error.message, requestId: null };
  const [first] = error.graphQLErrors;
  if (!first) return { code: 'offline', text: '', requestId: null };
  const { code, requestId } = first.extensions;
  const response = error.response as Response | undefined;
  const isMisfit = MISFIT.test(first.message);
  return {
    code: isMisfit ? 'other_version' : typeof code === 'string' ? code : 'internal_error',
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
