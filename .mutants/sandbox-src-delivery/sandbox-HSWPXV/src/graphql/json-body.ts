import { isAscii, isUtf8 } from 'node:buffer';
import { DomainError } from '../errors';
import { LIMITS } from '../limits';
import { type Extent, scanJson } from './scan-json';

/** Parses the JSON body of a request. @throws DomainError `invalid_parameter`, `payload_too_large` */
export function readJson(body: Buffer): unknown {
  const text = textOf(utf8Of(body));
  const { frame, list, isBalanced } = scanJson(text, LIMITS.jsonValuesMax);
  if (!isBalanced) throw unreadable();
  for (const part of [frame, ...(list?.items ?? [])]) refuseTooMuch(part);
  return parse(text);
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * The body without a byte order mark. Refuses bytes that are not UTF-8. A decoder would replace them by a sign, and so
 * change evidence unnoticed.
 */
export function utf8Of(body: Buffer): Buffer {
  if (!isUtf8(body)) throw unreadable();
  const hasMark = body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return hasMark ? body.subarray(BYTE_ORDER_MARK.length) : body;
}

export const encodingOf = (bytes: Buffer) => (isAscii(bytes) ? 'latin1' : 'utf8');
export const textOf = (bytes: Buffer) => bytes.toString(encodingOf(bytes));

/** Says what a part of a text has too many of; null: nothing. */
export const isTooMuch = ({ depth, values }: Extent): string | null => {
  if (depth > LIMITS.jsonDepthMax) return `more than ${LIMITS.jsonDepthMax} levels`;
  return values > LIMITS.jsonValuesMax ? `more than ${LIMITS.jsonValuesMax} values` : null;
};

/** @throws DomainError `payload_too_large` */
export function refuseTooMuch(extent: Extent): void {
  const problem = isTooMuch(extent);
  if (problem) throw new DomainError('payload_too_large', { public: `The body has ${problem}.` });
}

/** @throws DomainError `invalid_parameter` */
export function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw unreadable(error);
  }
}

export function parseOrNull(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

export const unreadable = (cause?: unknown) =>
  new DomainError('invalid_parameter', { public: 'The body is not readable JSON.', cause });
