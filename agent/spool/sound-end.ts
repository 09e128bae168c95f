import { decodeBlockHeader } from '../sqlaudit/block-header';
import type { ByteSource } from '../sqlaudit/byte-source';
import { SECTOR_BYTES } from '../sqlaudit/limits';
import { ReadAhead } from '../sqlaudit/read-ahead';
import { findSoundBlock } from '../sqlaudit/resync';

export interface SoundEnd {
  readonly end: number;
  /** A block follows that would make it more than `maxBytes`. */
  readonly lacksRoom: boolean;
}

/**
 * Where the row of whole, sound blocks that begins at `from` ends: nothing of it is still being written.
 * @param from a block's beginning
 * @param enoughBytes stops with the block that makes it so many
 * @param maxBytes stops before a block that would make it more
 */
export async function soundEnd(
  source: ByteSource,
  from: number,
  { enoughBytes, maxBytes }: { readonly enoughBytes: number; readonly maxBytes: number },
): Promise<SoundEnd> {
  const bytes = new ReadAhead(source);
  let end = from;
  while (end - from < enoughBytes) {
    const header = decodeBlockHeader(await bytes.from(end, SECTOR_BYTES), 0);
    const isSound = header.kind === 'block' && (await isSoundAt(bytes, end));
    if (!isSound || end + header.size > (await source.size())) return { end, lacksRoom: false };
    if (end + header.size - from > maxBytes) return { end, lacksRoom: true };
    end += header.size;
  }
  return { end, lacksRoom: false };
}

const isSoundAt = async (bytes: ReadAhead, offset: number): Promise<boolean> =>
  (await findSoundBlock(bytes, offset, offset + SECTOR_BYTES)) === offset;

const CHUNK_BYTES = 256 * 1024;

/** Where the last byte that is not zero ends, at or after `from`: what was reserved and never written is left out. */
export async function writtenEnd(source: ByteSource, from: number): Promise<number> {
  let end = from;
  for (let at = from; ; ) {
    const bytes = await source.read(at, CHUNK_BYTES);
    if (bytes.length === 0) return end;
    const last = bytes.findLastIndex((byte) => byte !== 0);
    if (last >= 0) end = at + last + 1;
    at += bytes.length;
  }
}
