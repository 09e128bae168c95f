import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request, RequestHandler } from 'express';
import { holderOf, type Principal, tenantsOf } from '../caller/principal';
import { TenantHoldings } from '../caller/rate-limit/holdings';
import { DomainError } from '../errors';
import { LIMITS } from '../limits';
import { readJson, unreadable } from './json-body';
import { receive } from './receive-bytes';

/** Only agents send large bodies. */
const bytesMaxOf = ({ kind }: Principal) =>
  kind === 'agent' ? LIMITS.ingestBodyBytesMax : LIMITS.graphqlBodyBytesMax;

const DECODERS: ReadonlyMap<string, (() => Transform) | null> = new Map([
  ['identity', null],
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Reads the bytes of a body into `request.body` as they arrive, in pieces, decompressed. They count against the caller's limit
 * until the request is answered.
 */
export function takeBytes(): RequestHandler {
  const ofAgents = bodiesOf(LIMITS.bodiesBytesMax, LIMITS.shareOfOne);
  const ofOthers = bodiesOf(LIMITS.smallBodiesBytesMax, 2 * LIMITS.shareOfOne);
  return async (request, response, next) => {
    request.body = undefined;
    if (!request.is('application/json')) return next();
    const { principal } = response.locals;
    const bytesMax = bytesMaxOf(principal);
    const held = principal.kind === 'agent' ? ofAgents : ofOthers;
    const sender = { holder: holderOf(principal), tenants: tenantsOf(principal) };
    let [bytes, isOver] = [0, false];
    response.once('close', () => {
      isOver = true;
      held.give(sender, bytes);
    });
    const decoder = decoderOf(request);
    if (!decoder && Number(request.get('Content-Length')) > bytesMax) throw tooLarge(bytesMax);
    request.body = await receive(request, response, decoder, (more) => {
      if (isOver || !held.take(sender, more)) return tooMany();
      bytes += more;
      return bytes > bytesMax ? tooLarge(bytesMax) : null;
    });
    next();
  };
}

/** @param parts of which one key may take one */
const bodiesOf = (all: number, parts: number) =>
  new TenantHoldings({ all, perTenant: Math.floor(all / LIMITS.shareOfOne), each: Math.floor(all / parts) });

function decoderOf(request: Request): Transform | null {
  const make = DECODERS.get(request.get('Content-Encoding')?.toLowerCase() ?? 'identity');
  if (make === undefined) throw unreadable();
  return make?.() ?? null;
}

const tooLarge = (bytesMax: number) =>
  new DomainError('payload_too_large', { public: `The body is larger than ${bytesMax} bytes, inflated.` });

const tooMany = () =>
  new DomainError('service_unavailable', {
    public: 'The service holds as many bodies as it can. Send this one again shortly.',
    retryAfterSeconds: 1,
  });

/** How the bodies of agents are processed. */
export interface AgentBodies {
  /** Waits for a turn. @returns a function that ends the turn @throws DomainError `service_unavailable` */
  readonly enter: (tenantId: number) => Promise<() => void>;
  /** @throws DomainError `invalid_parameter`, `payload_too_large` */
  readonly read: (body: Buffer, tenantId: number) => Promise<unknown>;
}

/**
 * Memory in which bodies of agents are put together, used again and again. V8 counts new memory of this size as garbage
 * to come, and would search the whole heap after every second body.
 */
class BodyMemory {
  readonly #free: Buffer[] = [];

  /** Joins the pieces of a body for as long as the work takes. */
  async joined<T>(pieces: readonly Buffer[], work: (body: Buffer) => Promise<T>): Promise<T> {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const last = this.#free.pop();
    const memory = last && last.length >= length ? last : Buffer.allocUnsafeSlow(roomFor(length));
    let at = 0;
    for (const piece of pieces) at += piece.copy(memory, at);
    try {
      return await work(memory.subarray(0, length));
    } finally {
      if (this.#free.length < LIMITS.ingestInWorkMax) this.#free.push(memory);
    }
  }
}
const MEMORY_STEP = 1024 * 1024;
const roomFor = (bytes: number) => Math.ceil(bytes / MEMORY_STEP) * MEMORY_STEP;

/** Replaces the bytes in `request.body` by the parsed JSON. */
export function parseBytes(agents: AgentBodies): RequestHandler {
  const memory = new BodyMemory();
  return async (request, response, next) => {
    const { principal } = response.locals;
    const pieces: readonly Buffer[] | undefined = request.body;
    if (!pieces) return next();
    request.body = undefined;
    request.body =
      principal.kind === 'agent'
        ? await memory.joined(pieces, (body) => agents.read(body, principal.tenantId))
        : readJson(Buffer.concat(pieces));
    next();
  };
}

/** Runs before the document is parsed, hashed and kept. */
export const refuseLongDocument: RequestHandler = ({ body }, _response, next) => {
  const { query } = (body ?? {}) as { query?: unknown };
  const charsMax = LIMITS.graphqlDocumentCharsMax;
  if (typeof query === 'string' && query.length > charsMax)
    throw new DomainError('invalid_parameter', {
      public: `The document is longer than ${charsMax} characters; values belong in variables.`,
    });
  next();
};
