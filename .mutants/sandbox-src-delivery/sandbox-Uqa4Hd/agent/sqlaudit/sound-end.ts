import { decodeBlockHeader } from './block-header';
import type { Bytes } from './bytes';
import { SECTOR_BYTES } from './limits';
import { ReadAhead } from './read-ahead';
import { findSoundBlock } from './resync';

interface SoundEnd {
  readonly end: number;
  /** Whether the next block would exceed `maxBytes`. */
  readonly lacksRoom: boolean;
}

/**
 * Where the sequence of whole, sound blocks from `from` on ends. None of these blocks is still being written.
 * @param from a block's beginning
 * @param enoughBytes stops with the block that reaches this number of bytes
 * @param maxBytes stops before a block that would exceed it
 */
export async function soundEnd(
  file: Bytes,
  from: number,
  { enoughBytes, maxBytes }: { readonly enoughBytes: number; readonly maxBytes: number },
): Promise<SoundEnd> {
  const bytes = new ReadAhead(file);
  let end = from;
  while (end - from < enoughBytes) {
    const header = decodeBlockHeader(await bytes.from(end, SECTOR_BYTES), 0);
    const isSound = header.kind === 'block' && (await isSoundAt(bytes, end));
    if (!isSound || end + header.size > (await file.size())) return { end, lacksRoom: false };
    if (end + header.size - from > maxBytes) return { end, lacksRoom: true };
    end += header.size;
  }
  return { end, lacksRoom: false };
}

const isSoundAt = async (bytes: ReadAhead, offset: number): Promise<boolean> =>
  (await findSoundBlock(bytes, offset, offset + SECTOR_BYTES)) === offset;

const CHUNK_BYTES = 256 * 1024;

/** The end of the last non-zero byte at or after `from`, which leaves out reserved space that was never written. */
export async function writtenEnd(file: Bytes, from: number): Promise<number> {
  let end = from;
  for (let at = from; ; ) {
    const bytes = await file.read(at, CHUNK_BYTES);
    if (bytes.length === 0) return end;
    const last = bytes.findLastIndex((byte) => byte !== 0);
    if (last >= 0) end = at + last + 1;
    at += bytes.length;
  }
}
