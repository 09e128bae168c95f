import type { Transform } from 'node:stream';
import type { Request, Response } from 'express';
import { DomainError } from '../errors';
import { LIMITS } from '../limits';
import { unreadable } from './json-body';

/**
 * Reads and decodes the body of a request, in the pieces in which it arrives.
 * @param take called with the number of bytes before they are kept; an error that it returns ends the reading
 * @throws DomainError the error of `take`, `request_timeout`, `invalid_parameter`
 */
export function receive(
  request: Request,
  response: Response,
  decoder: Transform | null,
  take: (bytes: number) => DomainError | null,
): Promise<readonly Buffer[]> {
  const stream = decoder ? request.pipe(decoder) : request;
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    const stopWatching = watchSpeed(request, () => {
      response.shouldKeepAlive = false; // the rest of the body is not waited for
      fail(tooSlow());
    });
    const fail = (error: DomainError) => {
      stopWatching();
      chunks = [];
      stream.off('data', keep);
      if (decoder) request.unpipe(decoder);
      decoder?.destroy();
      request.resume(); // discards the rest of the body, so that the caller reads the answer
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
      resolve(chunks);
    });
    stream.on('error', (error) => fail(unreadable(error)));
    request.once('close', () => {
      if (!request.complete) fail(unreadable());
    });
  });
}

/**
 * Checks every few seconds whether enough bytes have come since the last check.
 * @returns a function that stops the checks
 */
function watchSpeed(request: Request, slow: () => void): () => void {
  const { socket } = request;
  let before = socket.bytesRead;
  const bytesMin = (LIMITS.bodyBytesPerSecondMin * LIMITS.bodySlowMs) / 1_000;
  const look = () => {
    if (!request.complete && socket.bytesRead - before < bytesMin) slow();
    before = socket.bytesRead;
  };
  // The check runs after waiting data is read, because a busy process reads that data only now.
  const timer = setInterval(() => setImmediate(look), LIMITS.bodySlowMs);
  return () => clearInterval(timer);
}

const tooSlow = () =>
  new DomainError('request_timeout', {
    public: `The body came slower than ${LIMITS.bodyBytesPerSecondMin} bytes a second.`,
  });
