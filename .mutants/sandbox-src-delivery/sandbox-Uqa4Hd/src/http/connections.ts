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
 * Closes the connections of an address beyond a limit, idle ones too. So one address cannot take the places of the
 * others.
 * @param isProxy whether an address is that of a proxy, which connects for all callers
 */
export function boundEachAddress(
  server: Server,
  bounds: { readonly each: number; readonly all: number },
  isProxy: (address: string) => boolean,
): void {
  const open = new Holdings(bounds);
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // The address is undefined when the caller has gone already.
    if (remoteAddress === undefined || isProxy(remoteAddress)) return;
    if (open.take(remoteAddress, 1)) socket.once('close', () => open.give(remoteAddress, 1));
    else socket.destroy();
  });
}

/**
 * Closes a connection that sends more requests while too many of it are unanswered. Thousands of requests fit into one
 * packet, and need no key. If the service began all of them at once, they would delay every caller and take all memory.
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

/** Tells waiting answers that their caller has gone. Node tells only the answer that it is sending. */
function closeWaiting(open: Iterable<ServerResponse>): void {
  for (const response of open) {
    if (response.socket !== null) continue;
    Object.assign(response, { destroyed: true, _closed: true });
    response.emit('close');
  }
}

/**
 * Stops the parser of a connection. Node parses the rest of a packet even after the connection is destroyed. It keeps
 * each request of it, with an answer, until all connections have been read.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { readonly parser?: { onIncoming: () => number } | null };
  if (parser) parser.onIncoming = () => NO_SPECIAL_BODY;
}
const NO_SPECIAL_BODY = 0;

/**
 * Closes a connection whose request has a body in many tiny pieces. Node keeps an object of a hundred bytes for each
 * piece, and one call of it takes as long as for a large piece. Pieces of a body that nobody reads count too, before
 * and after the answer.
 */
export function boundPieces(
  server: Server,
  { count, bytesEach }: { count: number; bytesEach: number },
): void {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { headers, socket } = request;
    if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return;
    let [pieces, bytes] = [0, 0];
    const push = request.push.bind(request);
    request.push = (piece, encoding) => {
      if (piece === null) return push(null);
      pieces++;
      bytes += piece.length;
      if (pieces <= count || bytes >= pieces * bytesEach) return push(piece, encoding);
      socket.destroy();
      return false;
    };
    // Otherwise Node discards the rest of the body uncounted.
    response.prependOnceListener('finish', () => {
      request.read(0);
      request.resume();
    });
  });
}

/** The state of a connection: its bytes read when its last request was answered, and its number of requests in work. */
interface Reading {
  from: number;
  inWork: number;
}

/**
 * Limits how many bytes the heads of arriving requests hold together, whatever their addresses. They need no key.
 * Beyond the limit, the connections that hold most are closed. The parser limits each single head.
 * @param everyMs time between two checks
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
 * Answers a request that Node's parser refuses: its head is too large or too slow, or it is not HTTP at all. There is
 * no request object that has the path, so every answer has the form of REST. The connection ends with the answer.
 */
export function answerBrokenRequests(server: Server, log: Logger): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, response) => latest.set(request.socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const before = latest.get(socket);
    if (before && !before.writableEnded) {
      // The answer to a complete request leaves first. The answer to an incomplete one has begun already, or is this
      // refusal.
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
    // A caller that keeps sending, or does not read, is cut off after this time.
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
