import { writeFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import { openZip } from '../../src/package-check/package-files';
import { zipOf } from '../support/zip';

export type Files = Map<string, Buffer>;

async function* inflated(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  yield inflateRawSync(Buffer.concat(parts));
}

/** The files of a package. */
export async function unpacked(zip: Buffer): Promise<Files> {
  const bytes = async (from: number, length: number) => zip.subarray(from, from + length);
  const files = await openZip({ size: zip.length, bytes }, inflated);
  const found: Files = new Map();
  for (const name of files.names) {
    const parts: Uint8Array[] = [];
    for await (const chunk of files.read(name)) parts.push(chunk);
    found.set(name, Buffer.concat(parts));
  }
  return found;
}

/** A package with another byte in one of its files. @param change of the byte, not 0 */
export async function flipped(
  file: string,
  files: Files,
  name: string,
  at: number,
  change = 1,
): Promise<void> {
  const content = Buffer.from(files.get(name) ?? '');
  content[at] = (content[at] as number) ^ change;
  await writeFile(file, await zipOf(new Map([...files, [name, content]])));
}
