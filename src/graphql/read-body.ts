import { isAscii, isUtf8 } from 'node:buffer';
import express, { type RequestHandler } from 'express';
import type { Principal } from '../api-key/principal';
import { DomainError } from '../errors';
import { LIMITS } from '../limits';

/** Only agents send much. */
const bytesMaxOf = ({ kind }: Principal) =>
  kind === 'agent' ? LIMITS.ingestBodyBytesMax : LIMITS.graphqlBodyBytesMax;
const readerUpTo = (limit: number) => express.raw({ type: 'application/json', limit });
const READERS = new Map(
  [LIMITS.ingestBodyBytesMax, LIMITS.graphqlBodyBytesMax].map((limit) => [limit, readerUpTo(limit)]),
);
const takeBytes: RequestHandler = (request, response, next) => {
  const bytesMax = bytesMaxOf(response.locals.principal);
  const read = READERS.get(bytesMax) ?? readerUpTo(bytesMax);
  read(request, response, (error?: unknown) => next(error && bodyError(error, bytesMax)));
};

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * The value of a body that came whole. Decoding it piece by piece as it arrives, as `express.json` does, costs a batch of
 * events a fifth of all the service does with it, most of that in clearing up after it.
 */
function parseJson(bytes: Buffer): unknown {
  // A decoder would put a sign in place of bytes that are no text: evidence would change unseen.
  if (!isUtf8(bytes)) throw unreadable();
  const start = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  try {
    return JSON.parse(bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8', start));
  } catch (error) {
    throw unreadable(error);
  }
}

const parseBytes: RequestHandler = (request, _response, next) => {
  if (Buffer.isBuffer(request.body)) request.body = parseJson(request.body);
  next();
};

/** Before it is parsed, hashed and kept. */
const refuseLongDocument: RequestHandler = ({ body }, _response, next) => {
  const { query } = (body ?? {}) as { query?: unknown };
  const charsMax = LIMITS.graphqlDocumentCharsMax;
  if (typeof query === 'string' && query.length > charsMax)
    throw new DomainError('invalid_parameter', {
      public: `The document is longer than ${charsMax} characters; values belong in variables.`,
    });
  next();
};

/** What the body parser refused, as a documented code. */
function bodyError(error: unknown, bytesMax: number): unknown {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') {
    return new DomainError('payload_too_large', {
      public: `The body is larger than ${bytesMax} bytes, inflated.`,
    });
  }
  if (status === undefined || status >= 500) return error;
  return unreadable(error);
}

const unreadable = (cause?: unknown) =>
  new DomainError('invalid_parameter', { public: 'The body is not readable JSON.', cause });

/** Puts a request's JSON into `request.body`, as much of it as its principal may send. */
export const readBody: readonly RequestHandler[] = [takeBytes, parseBytes, refuseLongDocument];
