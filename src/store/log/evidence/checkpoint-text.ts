import { HASH_BYTES } from './merkle';
import { splitNote } from './signed-note';

/** A checkpoint of any log (C2SP: tlog-checkpoint). Only its first three lines have a meaning here. */
export interface CheckpointText {
  readonly origin: string;
  readonly size: number;
  /** 32 bytes. */
  readonly root: Buffer;
  /** What is signed: its lines, with their line ends. */
  readonly body: string;
}

const COUNT = /^(?:0|[1-9]\d{0,15})$/;

/** A note has no control character but its line ends. */
const CONTROL = /(?!\n)\p{Cc}/u;

/** @returns null: it is no number of entries in the form of checkpoints */
export const parseCount = (text: string): number | null =>
  COUNT.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;

/** @returns null: it is no hash of 32 bytes in Base64 */
export function parseHash(text: string): Buffer | null {
  const hash = Buffer.from(text, 'base64');
  return hash.length === HASH_BYTES && hash.toString('base64') === text ? hash : null;
}

/** @returns null: the text is no signed checkpoint. Its signatures are not checked. */
export function readCheckpoint(note: string): CheckpointText | null {
  const [body, signatures] = splitNote(note);
  const [origin = '', sizeText = '', rootText = ''] = body.split('\n');
  const [size, root] = [parseCount(sizeText), parseHash(rootText)];
  const isNote =
    signatures.length > 0 && note.endsWith('\n') && signatures.every((line) => line.startsWith('— '));
  if (!isNote || origin === '' || size === null || root === null || CONTROL.test(note)) return null;
  return { origin, size, root, body };
}
