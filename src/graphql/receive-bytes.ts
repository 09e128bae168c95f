import type { Transform } from 'node:stream';
import type { Request, Response } from 'express';
import { DomainError } from '../errors';
import { LIMITS } from '../limits';
import { unreadable } from './json-body';

/**
 * The body of a request, decoded.
 * @param take told of bytes before they are kept; what it returns ends the reading
 * @throws DomainError that of `take`, `request_timeout`, `invalid_parameter`
 */
export function receive(
  request: Request,
  response: Response,
  decoder: Transform | null,
  take: (bytes: number) => DomainError | null,
): Promise<Buffer> {
  const stream = decoder ? request.pipe(decoder) : request;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const stopWatching = watchSpeed(request, () => {
      response.shouldKeepAlive = false; // nor is the rest waited for
      fail(tooSlow());
    });
    const fail = (error: DomainError) => {
      stopWatching();
      chunks.length = 0;
      stream.off('data', keep);
      if (decoder) request.unpipe(decoder);
      decoder?.destroy();
      request.resume(); // what still comes is passed over, so that the answer is read
      reject(error);
    };
    const keep = (chunk: Buffer) => {
      const refused = take(chunk.length);
      if (refused) fail(refused);
      else chunks.push(chunk);
    };
    stream.on('data', keep);
    stream.once('end', () => {
      stopWatching();
      resolve(Buffer.concat(chunks));
    });
    stream.on('error', (error) => fail(unreadable(error)));
    request.once('close', () => {
      if (!request.complete) fail(unreadable());
    });
  });
}

/** Looks every few seconds whether enough has come since. @returns an end to it */
function watchSpeed(request: Request, slow: () => void): () => void {
  const { socket } = request;
  let before = socket.bytesRead;
  const bytesMin = (LIMITS.bodyBytesPerSecondMin * LIMITS.bodySlowMs) / 1_000;
  const look = () => {
    if (!request.complete && socket.bytesRead - before < bytesMin) slow();
    before = socket.bytesRead;
  };
  // After what has come: a process that was busy hears of it only now.
  const timer = setInterval(() => setImmediate(look), LIMITS.bodySlowMs);
  return () => clearInterval(timer);
}

const tooSlow = () =>
  new DomainError('request_timeout', {
    public: `The body came slower than ${LIMITS.bodyBytesPerSecondMin} bytes a second.`,
  });
