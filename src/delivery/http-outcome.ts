import type { HttpAnswer } from './guarded-http';
import type { Outcome } from './outcome';
import { parseRetryAfter } from './retry';

const GONE = 410;
/** 400 Bad Request, 413 Content Too Large and 422 Unprocessable Content mean that the content is at fault. */
const TOO_LARGE = 413;
const UNAUTHORIZED = 401;
const NOT_FOUND = 404;
const OF_CONTENT = [400, TOO_LARGE, 422];
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;
export const isUnauthorized = (status: number): boolean => status === UNAUTHORIZED;
export const isNotFound = (status: number): boolean => status === NOT_FOUND;
export const isTooLarge = (status: number): boolean => status === TOO_LARGE;
export const isOfContent = (status: number): boolean => OF_CONTENT.includes(status);
const READ_BYTES = 64 * 1024;

/**
 * The meaning of a status where the receiver has no other agreement: only 2xx is success, and redirects are not
 * followed.
 */
export function outcomeOf(answer: HttpAnswer, nowMs: number): Outcome {
  const { status } = answer;
  if (isSuccess(status)) return { kind: 'accepted' };
  const message = `HTTP ${status}${said(answer.body)}`;
  if (status === GONE) return { kind: 'gone', message: `the receiver answered 410 Gone${said(answer.body)}` };
  if (isOfContent(status)) return { kind: 'refused', message };
  const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], nowMs);
  if (status >= 300 && status < 400)
    return { kind: 'failed', message: `HTTP ${status}: redirects are not followed` };
  return { kind: 'failed', message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** The beginning of an answer's text, as the receiver wrote it (`secretBlanker`). */
function said(body: Buffer): string {
  const text = body.toString('utf8', 0, READ_BYTES).trim();
  return text === '' ? '' : `: ${text}`;
}
