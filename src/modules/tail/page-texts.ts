import { Pauses } from '../../deadline';
import { FEED_FORMATS, type FeedFormat } from '../../event/formats/formats';
import { markedBytes } from '../../event/marks';
import type { TailPage } from './tail';

const PIECE_CHARS = 64 * 1024;

/** The JSON of each item. A page may have megabytes, so other requests are served in between. */
export async function textsOf(items: TailPage['items'], format: FeedFormat): Promise<string[]> {
  const { toObject } = FEED_FORMATS[format];
  const pauses = new Pauses();
  const texts: string[] = [];
  for (const item of items) {
    texts.push('json' in item ? item.json : JSON.stringify(toObject(item)));
    if (pauses.isDue) await pauses.take();
  }
  return texts;
}

/** The bytes of an answer of these texts, large statements included. */
export const bytesOfTexts = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text) + markedBytes(text), 0);

/** The texts as they stand in the answer, a few in one. */
export function* joined(texts: readonly string[], isLines: boolean): Generator<string> {
  let piece = '';
  for (const [i, text] of texts.entries()) {
    piece += isLines ? `${text}\n` : `${i > 0 ? ',' : ''}${text}`;
    if (piece.length < PIECE_CHARS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

export const lengthOf = (pieces: readonly Buffer[]): number =>
  pieces.reduce((sum, piece) => sum + piece.length, 0);
