import type { ServerResponse } from 'node:http';
import { within } from '../deadline';

/** A body of less bytes leaves in one piece with its head. */
const SHORT_BYTES = 256 * 1024;

/** Ends an answer with a body in pieces. */
export function writePieces(response: ServerResponse, pieces: readonly Buffer[]): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.setHeader('Content-Length', length);
  if (length < SHORT_BYTES) return void response.end(Buffer.concat(pieces));
  for (const piece of pieces) if (piece.length > 0) response.write(piece);
  response.end();
}

/**
 * Writes a part of an answer, and waits until its reader takes it. A reader that does not is cut off.
 * @param late makes the error that it throws then
 */
export async function writeTaken(
  response: Pick<ServerResponse, 'closed' | 'write' | 'once' | 'off' | 'destroy'>,
  text: string,
  ms: number,
  late: () => unknown,
): Promise<void> {
  if (response.closed || response.write(text)) return;
  let taken = () => {};
  const done = new Promise<void>((resolve) => {
    taken = resolve;
  });
  response.once('drain', taken);
  response.once('close', taken);
  try {
    await within(ms, late, () => done);
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    response.off('drain', taken);
    response.off('close', taken);
  }
}
