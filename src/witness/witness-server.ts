import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { LIMITS } from '../limits';
import { WITNESS_STATUS } from '../store/log/evidence/witness-protocol';
import type { Tell, Witness } from './witness';

const PATH = /^\/(?:[^?#]*\/)?add-checkpoint$/;
const KEEP_ALIVE_MS = 15_000;

/** The entrance of a witness: `POST …/add-checkpoint`, below any prefix. Sizes, times and connections are bounded. */
export function witnessServer(witness: Pick<Witness, 'add'>, tell: Tell): Server {
  const server = createServer(
    {
      headersTimeout: LIMITS.witnessRequestMs,
      requestTimeout: LIMITS.witnessRequestMs,
      connectionsCheckingInterval: LIMITS.requestCheckMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) => {
      answer(witness, request, response).catch((error: unknown) => {
        tell(`a checkpoint was not signed: ${(error as Error).message}`);
        if (!response.headersSent) send(response, WITNESS_STATUS.broken, 'the witness cannot sign now\n');
      });
    },
  );
  server.maxConnections = LIMITS.witnessConnectionsMax;
  return server;
}

async function answer(
  witness: Pick<Witness, 'add'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!PATH.test(request.url ?? ''))
    return send(response, WITNESS_STATUS.unknown, 'the only path is …/add-checkpoint\n');
  if (request.method !== 'POST')
    return send(response, WITNESS_STATUS.wrongMethod, 'the only method is POST\n');
  const body = await bodyOf(request);
  if (body === 'cut') return;
  if (body === 'large')
    return send(
      response,
      WITNESS_STATUS.tooLarge,
      `a body has at most ${LIMITS.witnessBodyBytesMax} bytes\n`,
    );
  const text = decoded(body);
  if (text === null) return send(response, WITNESS_STATUS.malformed, 'the body is not UTF-8\n');
  const { status, type, text: answered } = await witness.add(text);
  send(response, status, answered, type);
}

function send(
  response: ServerResponse,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  // What was not read of a body would be taken for the next request.
  const end = response.req.complete ? {} : { Connection: 'close' };
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text), ...end });
  response.end(text);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | 'large' | 'cut'> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      bytes += (piece as Buffer).length;
      if (bytes > LIMITS.witnessBodyBytesMax) return 'large';
      pieces.push(piece as Buffer);
    }
  } catch {
    return 'cut';
  }
  return Buffer.concat(pieces);
}

function decoded(body: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}
