import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { Holdings } from '../caller/rate-limit/holdings';
import { DomainError, ERRORS } from '../errors';
import { LIMITS } from '../limits';
import { restRefusal } from './refusal';

/**
 * Closes the connections of an address beyond so many, idle ones too: one address leaves places to the others.
 * @param isProxy whether an address is that of a proxy, which connects for everybody
 */
export function boundEachAddress(
  server: Server,
  bounds: { readonly each: number; readonly all: number },
  isProxy: (address: string) => boolean,
): void {
  const open = new Holdings(bounds);
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // None: the caller has gone already.
    if (remoteAddress === undefined || isProxy(remoteAddress)) return;
    if (open.take(remoteAddress, 1)) socket.once('close', () => open.give(remoteAddress, 1));
    else socket.destroy();
  });
}

/**
 * Closes a connection that sends further requests before so many are answered. Thousands fit into one packet, and without
 * a key: what is made of them at once would hold up everybody, and take all memory.
 */
export function boundRequestsAhead(max: number): RequestHandler {
  const openOf = new WeakMap<Socket, Set<ServerResponse>>();
  const begin = (socket: Socket) => {
    const open = new Set<ServerResponse>();
    openOf.set(socket, open);
    socket.once('close', () => closeWaiting(open));
    return open;
  };
  return ({ socket }, response, next) => {
    if (socket.destroyed) return;
    const open = openOf.get(socket) ?? begin(socket);
    if (open.size >= max) {
      stopParsing(socket);
      return void socket.destroy();
    }
    open.add(response);
    response.once('close', () => open.delete(response));
    next();
  };
}

/** Tells answers that wait for those ahead of them that their caller has gone: Node tells only the one that it sends. */
function closeWaiting(open: Iterable<ServerResponse>): void {
  for (const response of open) {
    if (response.socket !== null) continue;
    Object.assign(response, { destroyed: true, _closed: true });
    response.emit('close');
  }
}

/**
 * Has nothing more made of what the connection has sent. Node goes on to the end of a packet after the connection is
 * destroyed, and keeps each request of it, and an answer for each, until all connections have been read.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { readonly parser?: { onIncoming: () => number } | null };
  if (parser) parser.onIncoming = () => NO_SPECIAL_BODY;
}
const NO_SPECIAL_BODY = 0;

/** Of a connection: bytes read when its last request was answered, and requests of it in work. */
interface Reading {
  from: number;
  inWork: number;
}

/**
 * Bounds what the heads of requests that are still arriving hold together, from whatever addresses and without a key:
 * beyond it the connections that hold most are closed. Each head has its own bound, the parser's.
 * @param everyMs between looks
 */
export function boundArrivingHeads(server: Server, bytesMax: number, everyMs: number): void {
  const readings = new Map<Socket, Reading>();
  server.on('connection', (socket: Socket) => {
    readings.set(socket, { from: 0, inWork: 0 });
    socket.once('close', () => readings.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const reading = readings.get(socket);
    if (!reading) return;
    reading.inWork++;
    response.once('close', () => {
      reading.inWork--;
      reading.from = socket.bytesRead;
    });
  });
  const timer = setInterval(() => {
    const arriving = [...readings]
      .filter(([, { inWork }]) => inWork === 0)
      .map(([socket, { from }]) => ({ socket, bytes: socket.bytesRead - from }));
    let sum = arriving.reduce((all, { bytes }) => all + bytes, 0);
    if (sum <= bytesMax) return;
    for (const { socket, bytes } of arriving.toSorted((a, b) => b.bytes - a.bytes)) {
      if (sum <= bytesMax) return;
      socket.destroy();
      sum -= bytes;
    }
  }, everyMs).unref();
  server.once('close', () => clearInterval(timer));
}

/**
 * Answers what is no request to Node's parser: too large a head, too slow, or not HTTP at all. There is no request
 * object to tell the path, so all get the form of REST; the connection ends with the answer.
 */
export function answerBrokenRequests(server: Server, log: Logger): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, response) => latest.set(request.socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const before = latest.get(socket);
    if (before && !before.writableEnded) {
      // The answer to a request that came whole leaves first; one to half a request is begun already, or is this.
      if (before.req.complete) return void before.once('finish', () => refuse(error, socket));
      if (before.headersSent) return void socket.destroy();
    }
    refuse(error, socket);
  });

  const refuse = (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable) return void socket.destroy();
    const refused = refusalOf(error);
    const requestId = randomUUID();
    log.info({ requestId, status: ERRORS[refused.code].status, reason: error.code }, 'refused');
    socket.end(rawAnswer(refused, requestId));
    // Who sends on regardless, or does not read, is not waited for.
    const timer = setTimeout(() => socket.destroy(), LIMITS.requestHeadersMs).unref();
    socket.once('close', () => clearTimeout(timer));
  };
}

function refusalOf({ code }: NodeJS.ErrnoException): DomainError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new DomainError('headers_too_large', {
        public: `The request's line and headers are larger than ${LIMITS.requestHeadBytesMax} bytes.`,
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new DomainError('request_timeout', { public: 'The request did not arrive in time.' });
    default:
      return new DomainError('invalid_parameter', { public: 'The request is not well-formed HTTP.' });
  }
}

function rawAnswer(refused: DomainError, requestId: string): string {
  const { status } = ERRORS[refused.code];
  const body = JSON.stringify(restRefusal(refused, requestId));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
