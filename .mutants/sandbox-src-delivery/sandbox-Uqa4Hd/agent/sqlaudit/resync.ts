import {
  BLOCK_TYPE,
  type BlockHeader,
  CHECKSUM_TAIL_BYTES,
  dataChecksum,
  decodeBlockHeader,
} from './block-header';
import type { Bytes } from './bytes';
import { SECTOR_BYTES } from './limits';
import { ReadAhead } from './read-ahead';

/** Offset of the first whole block with a valid checksum at or after `from`, or null: reading continues there after damage. */
export async function nextSoundBlock(bytes: Bytes, from: number): Promise<number | null> {
  const start = Math.ceil(from / SECTOR_BYTES) * SECTOR_BYTES;
  return findSoundBlock(new ReadAhead(bytes), start, await bytes.size());
}

/** Offset of the first sound block in `[from, until)`, or null. `from` must be the beginning of a sector. */
export async function findSoundBlock(bytes: ReadAhead, from: number, until: number): Promise<number | null> {
  let offset = from;
  while (offset < until) {
    const window = await bytes.from(offset, SECTOR_BYTES);
    let at = 0;
    for (; at + SECTOR_BYTES <= window.length && offset + at < until; at += SECTOR_BYTES) {
      const header = decodeBlockHeader(window, at);
      if (header.kind === 'block' && (await isSound(bytes, offset + at, header))) return offset + at;
    }
    if (at === 0) return null;
    offset += at;
  }
  return null;
}

/** Reads only the end of the block, since damage may look like the header of a very large block many times. */
async function isSound(bytes: ReadAhead, offset: number, header: BlockHeader): Promise<boolean> {
  if (header.type !== BLOCK_TYPE.events && header.type !== BLOCK_TYPE.metadata) return false;
  const start = Math.max(header.dataStart, header.dataEnd - CHECKSUM_TAIL_BYTES);
  const tail = await bytes.aside(offset + start, header.dataEnd - start);
  if (tail.length < header.dataEnd - start) return false;
  return dataChecksum(tail, 0, tail.length) === header.checksum;
}
