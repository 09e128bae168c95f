import { FILES } from './layout';

/** The files of a package, wherever they are. */
export interface PackageFiles {
  readonly names: readonly string[];
  /** What is wrong with the container itself, in words. */
  readonly problems: readonly string[];
  /** @throws Error when the bytes cannot be read to their end */
  read(name: string): AsyncIterable<Uint8Array>;
}

/** Bytes at any place, of a file of the disk. */
export interface RandomAccess {
  readonly size: number;
  bytes(from: number, length: number): Promise<Uint8Array>;
}

/** Undoes the compression of zip files. */
export type Inflate = (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** The files of a package. Another file may be there several times, as a system adds its own to each folder. */
const NAMES: ReadonlySet<string> = new Set(Object.values(FILES));

interface Entry {
  readonly at: number;
  readonly method: number;
  readonly packed: number;
  /** When it is not compressed any more. */
  readonly bytes: number;
}

const [END, CENTRAL, LOCAL] = [0x06054b50, 0x02014b50, 0x04034b50];
const [END_BYTES, CENTRAL_BYTES, LOCAL_BYTES] = [22, 46, 30];
const COMMENT_BYTES_MAX = 65_535;
const ENTRIES_MAX = 1_000;
const CHUNK_BYTES = 256 * 1024;
const [STORED, DEFLATED] = [0, 8];

/**
 * Reads a zip file. Its own check sums are not looked at: a changed byte is to be found where it is, and the manifest
 * has the hash of each file.
 * @throws Error when it is no zip file
 */
export async function openZip(file: RandomAccess, inflate: Inflate): Promise<PackageFiles> {
  const [entries, several] = await entriesOf(file);
  return {
    names: [...entries.keys()],
    // One of them would be verified, and people may read another one.
    problems: [...several].map((name) => `${name}: the zip file has several of this name`),
    read: (name) => {
      const entry = entries.get(name);
      if (!entry) throw new Error('it is not there');
      const chunks = chunksOf(file, entry);
      if (entry.method === STORED) return chunks;
      if (entry.method === DEFLATED) return bounded(inflate(chunks), entry.bytes);
      throw new Error('it is compressed in an unknown way');
    },
  };
}

/** @returns the files by name, and the names of the package that several files have */
async function entriesOf(
  file: RandomAccess,
): Promise<readonly [ReadonlyMap<string, Entry>, ReadonlySet<string>]> {
  const tailBytes = Math.min(file.size, END_BYTES + COMMENT_BYTES_MAX);
  const tail = await file.bytes(file.size - tailBytes, tailBytes);
  let end = tail.length - END_BYTES;
  while (end >= 0 && viewOf(tail).getUint32(end, true) !== END) end--;
  if (end < 0) throw new Error('it is no zip file, or it was cut');
  const view = viewOf(tail);
  const [count, length, from] = [10, 12, 16].map((at) =>
    at === 10 ? view.getUint16(end + at, true) : view.getUint32(end + at, true),
  ) as [number, number, number];
  if (count > ENTRIES_MAX || from + length > file.size) throw new Error('its list of files is damaged');
  const list = await file.bytes(from, length);
  const entries = new Map<string, Entry>();
  const several = new Set<string>();
  for (let at = 0, n = 0; n < count; n++) {
    if (at + CENTRAL_BYTES > list.length || viewOf(list).getUint32(at, true) !== CENTRAL)
      throw new Error('its list of files is damaged');
    const of = viewOf(list.subarray(at));
    const [nameBytes, extra, comment] = [28, 30, 32].map((place) => of.getUint16(place, true)) as [
      number,
      number,
      number,
    ];
    const name = new TextDecoder().decode(list.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes));
    const own = baseName(name);
    if (entries.has(own) && NAMES.has(own)) several.add(own);
    entries.set(own, {
      at: of.getUint32(42, true),
      method: of.getUint16(10, true),
      packed: of.getUint32(20, true),
      bytes: of.getUint32(24, true),
    });
    at += CENTRAL_BYTES + nameBytes + extra + comment;
  }
  entries.delete('');
  return [entries, several];
}

/** A few bytes may stand for very many. */
async function* bounded(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let left = bytesMax;
  for await (const chunk of chunks) {
    left -= chunk.length;
    if (left < 0) throw new Error('it is larger than the zip file states');
    yield chunk;
  }
}

/** Files may lie in a folder of the zip file. */
const baseName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

async function* chunksOf(file: RandomAccess, { at, packed }: Entry): AsyncGenerator<Uint8Array> {
  if (at + LOCAL_BYTES > file.size) throw new Error('its place in the zip file is damaged');
  const head = viewOf(await file.bytes(at, LOCAL_BYTES));
  if (head.getUint32(0, true) !== LOCAL) throw new Error('its place in the zip file is damaged');
  let from = at + LOCAL_BYTES + head.getUint16(26, true) + head.getUint16(28, true);
  for (const end = Math.min(file.size, from + packed); from < end; from += CHUNK_BYTES)
    yield await file.bytes(from, Math.min(CHUNK_BYTES, end - from));
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
