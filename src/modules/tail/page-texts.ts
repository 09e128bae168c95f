import { Pauses } from '../../deadline';
import { FEED_FORMATS, type FeedFormat } from '../../event/formats/formats';
import { markedBytes } from '../../event/marks';
import type { TailPage } from './tail';

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

/** The texts as they stand in the answer. */
export function* inAnswer(texts: readonly string[], isLines: boolean): Generator<string> {
  for (const [i, text] of texts.entries()) yield isLines ? `${text}\n` : `${i > 0 ? ',' : ''}${text}`;
}

export const lengthOf = (pieces: readonly Buffer[]): number =>
  pieces.reduce((sum, piece) => sum + piece.length, 0);
