import { ERRORS, type ErrorCode } from '../../../src/errors';
import type { Answer } from '../answer';

/**
 * Fails if an answer is a server error, or an error of another form than documented: body, code, status, request id.
 */
export function expectDocumented(answer: Answer, method: string): void {
  const { status, headers, body, text } = answer;
  if (status >= 500) throw new Error(`${status}: ${text}`);
  if (status < 400 || method === 'HEAD') return;
  const { code, message, requestId } = body?.error ?? {};
  const sound =
    ERRORS[code as ErrorCode]?.status === status &&
    typeof message === 'string' &&
    message !== '' &&
    requestId === headers.get('X-Request-Id') &&
    Object.keys(body).length === 1;
  if (!sound) throw new Error(`${status} is not well-formed: ${text}`);
}

/** The same check for /graphql, where an error may come with status 200. */
export function expectDocumentedErrors({ status, body, text }: Answer): void {
  if (status >= 500) throw new Error(`${status}: ${text}`);
  const errors: { message?: unknown; extensions?: { code?: unknown } }[] = body?.errors ?? [];
  if (status !== 200 && errors.length === 0) throw new Error(`${status} without errors: ${text}`);
  for (const { message, extensions } of errors) {
    const known = ERRORS[extensions?.code as ErrorCode];
    if (typeof message !== 'string' || !known || known.status >= 500)
      throw new Error(`not well-formed: ${text}`);
  }
}
