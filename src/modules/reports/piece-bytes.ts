import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const zip = promisify(gzip);
/** Twice as fast as the level that gzip takes by itself, for a tenth more bytes. */
const LEVEL = 1;
/** Nearly every piece is smaller, so that zlib returns it at once. */
const ZIPPED_BYTES = 128 * 1024;

/** The bytes of a piece of a file as they are stored. */
export const zipped = (bytes: Buffer): Promise<Buffer> =>
  zip(bytes, { level: LEVEL, chunkSize: ZIPPED_BYTES });

export const unzipped: (stored: Uint8Array) => Promise<Buffer> = promisify(gunzip);
