import { decodeBlock } from './block';
import { BLOCK_TYPE, decodeBlockHeader } from './block-header';
import { SECTOR_BYTES } from './limits';
import type { PackageRecord } from './package-record';
import type { ReadAhead } from './read-ahead';
import { type CorruptBlock, outcomeOf, type ReadOutcome } from './read-outcome';
import { findSoundBlock } from './resync';
import { Schema } from './schema';

/** Tracks which part of a file's metadata the schema covers, and loads the rest when reading starts further on. */
export class MetadataWalk {
  private current = new Schema();
  /** Offset before which the schema covers every metadata block. */
  private walkedTo = SECTOR_BYTES;
  private lastMetadataAt = 0;

  get schema(): Schema {
    return this.current;
  }

  /** Adds what a metadata block describes. @returns the reason if that is more than can be true */
  add(packages: readonly PackageRecord[], offset: number): CorruptBlock | null {
    if (!this.current.add(packages))
      return corrupt(offset, 'metadata describes more objects than any server has');
    this.lastMetadataAt = Math.max(this.lastMetadataAt, offset);
    return null;
  }

  passed(nextBlockOffset: number): void {
    this.walkedTo = Math.max(this.walkedTo, nextBlockOffset);
  }

  /**
   * Makes the schema what it was at `target`: loads the metadata blocks before it, and forgets those after it. Of event
   * blocks on the way it reads only the headers. @returns why that was not possible, else null
   */
  async walkTo(bytes: ReadAhead, target: number): Promise<ReadOutcome | null> {
    if (this.lastMetadataAt >= target) {
      this.current = new Schema();
      this.walkedTo = SECTOR_BYTES;
      this.lastMetadataAt = 0;
    }
    while (this.walkedTo < target) {
      const step = await this.step(bytes, this.walkedTo, target);
      if (typeof step !== 'number') return step;
      this.walkedTo = step;
    }
    return null;
  }

  /** Moves past the block at `offset`. @returns where the next one begins */
  private async step(bytes: ReadAhead, offset: number, target: number): Promise<number | ReadOutcome> {
    const there = await bytes.from(offset, SECTOR_BYTES);
    const header = decodeBlockHeader(there, 0);
    if (header.kind === 'needMore') {
      return { kind: 'incomplete', offset, missingBytes: target - offset - there.length };
    }
    // The run that saved the position skipped this damage by the same search.
    if (header.kind !== 'block')
      return (await findSoundBlock(bytes, offset + SECTOR_BYTES, target)) ?? target;
    const next = offset + header.size;
    if (next > target) return corrupt(offset, `no block begins at the saved position ${target}`);
    if (header.type !== BLOCK_TYPE.metadata) return next;
    const whole = await bytes.from(offset, header.size);
    const block = decodeBlock(whole, offset, this.current);
    if (block.kind === 'metadata') return this.add(block.packages, offset) ?? next;
    return block.kind === 'events' || block.kind === 'skipped'
      ? next
      : outcomeOf(block, offset, whole.length);
  }
}

const corrupt = (offset: number, reason: string): CorruptBlock => ({
  kind: 'corrupt',
  offset,
  errorOffset: offset,
  reason,
  nextBlockOffset: null,
});
