import type { BlockResult } from './block';

/** Why reading stopped. `offset` is the start of the block that was not read. */
export type ReadOutcome =
  /** The file ends where a block ends. */
  | { readonly kind: 'complete'; readonly offset: number }
  /** The file ends within a block, which SQL Server may still be writing. */
  | { readonly kind: 'incomplete'; readonly offset: number; readonly missingBytes: number }
  /** A sector of zeros, so the unwritten rest of a preallocated file. */
  | { readonly kind: 'endOfWritten'; readonly offset: number }
  | CorruptBlock
  /** The bytes belong to another file; null: to no file of this format. */
  | { readonly kind: 'replaced'; readonly fileGuid: string | null };

/** A block that is inconsistent. In a file that is being written it may be sound a moment later. */
export interface CorruptBlock {
  readonly kind: 'corrupt';
  readonly offset: number;
  /** Offset of the byte that shows the damage. */
  readonly errorOffset: number;
  readonly reason: string;
  /** Where the next block begins, as this one states; null if its header is invalid. */
  readonly nextBlockOffset: number | null;
}

/** The outcome of a block that could not be read. */
export function outcomeOf(
  block: Extract<BlockResult, { kind: 'needMore' | 'end' | 'corrupt' }>,
  offset: number,
  bytesThere: number,
): ReadOutcome {
  if (block.kind === 'end') return { kind: 'endOfWritten', offset };
  if (block.kind === 'needMore') {
    return bytesThere === 0
      ? { kind: 'complete', offset }
      : { kind: 'incomplete', offset, missingBytes: block.bytes - bytesThere };
  }
  const nextBlockOffset = block.size === null ? null : offset + block.size;
  return { kind: 'corrupt', offset, errorOffset: block.offset, reason: block.reason, nextBlockOffset };
}
