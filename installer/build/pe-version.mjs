import { readFile } from 'node:fs/promises';

/** First bytes of VS_FIXEDFILEINFO, little endian: its signature, and the version 1.0 of its layout. */
const SIGNATURE = Buffer.from([0xbd, 0x04, 0xef, 0xfe, 0x00, 0x00, 0x01, 0x00]);

/** The version in the version resource of a Windows program, as four numbers with points. */
export async function peVersion(path) {
  const bytes = await readFile(path);
  const at = bytes.lastIndexOf(SIGNATURE);
  if (at < 0) throw new Error(`${path} has no version resource`);
  const [high, low] = [bytes.readUInt32LE(at + 8), bytes.readUInt32LE(at + 12)];
  return [high >>> 16, high & 0xffff, low >>> 16, low & 0xffff].join('.');
}
