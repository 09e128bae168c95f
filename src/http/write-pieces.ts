import type { ServerResponse } from 'node:http';

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
