import { type BlockResult, decodeBlock } from './block';
import type { Bytes } from './bytes';
import type { DecodedEvent } from './event';
import { decodeFileHeader, type FileHeader } from './file-header';
import { SECTOR_BYTES } from './limits';
import { MetadataWalk } from './metadata-walk';
import { type Position, START } from './position';
import { ReadAhead } from './read-ahead';
import { outcomeOf, type ReadOutcome } from './read-outcome';

/** The events of one whole, sound block, from the wanted index on. */
export interface EventBlock {
  readonly kind: 'events';
  readonly fileGuid: string;
  readonly blockOffset: number;
  /** Where the next block begins; with index 0, this is the position after the block. */
  readonly nextBlockOffset: number;
  /** Counts the event blocks of a file from 1; 0xFFFFFFFF if the writer does not count. */
  readonly sequence: number;
  /** Index of `events[0]` in its block. */
  readonly firstIndex: number;
  readonly events: readonly DecodedEvent[];
}
export interface FileEvent {
  readonly kind: 'event';
  readonly fileGuid: string;
  readonly blockOffset: number;
  readonly index: number;
  readonly nextBlockOffset: number;
  /** Where reading continues after this event. */
  readonly next: Position;
  readonly event: DecodedEvent;
}
type OpenResult =
  | { readonly kind: 'opened'; readonly file: SqlAuditFile }
  /** `needMore`: the file header is not complete yet. `foreign`: it is another kind of file. */
  | Exclude<FileHeader, { readonly kind: 'header' }>;

/**
 * An audit file, and what its metadata has described so far. It holds no handle: each read gets the bytes from its
 * caller, who can close the file between polls and keep this object. Only one read may run at a time.
 */
export class SqlAuditFile {
  private readonly metadata = new MetadataWalk();

  /** @param fileGuid identity from the file's header, lower case with dashes. */
  private constructor(readonly fileGuid: string) {}

  static async open(bytes: Bytes): Promise<OpenResult> {
    const header = decodeFileHeader(await bytes.read(0, SECTOR_BYTES));
    return header.kind === 'header' ? { kind: 'opened', file: new SqlAuditFile(header.fileGuid) } : header;
  }

  /** Whether the metadata read so far describes any event, or the one of that name. */
  describes(eventName?: string): boolean {
    const { schema } = this.metadata;
    return eventName === undefined ? !schema.isEmpty : schema.describes(eventName);
  }

  /**
   * The blocks of events from a position on. The last item is the outcome: why reading stopped.
   * @param memory for the first blocks, whose present content nobody needs any more
   */
  async *blocks(
    bytes: Bytes,
    from: Position = START,
    memory?: Buffer,
  ): AsyncGenerator<EventBlock | ReadOutcome> {
    const ahead = new ReadAhead(bytes, memory);
    const problem =
      (await this.identityProblem(ahead)) ?? (await this.metadata.walkTo(ahead, from.blockOffset));
    if (problem) return yield problem;
    let offset = from.blockOffset;
    let firstIndex = from.index;
    for (;;) {
      const { block, bytesThere } = this.blockAtHand(ahead, offset) ?? (await this.readBlock(ahead, offset));
      if (block.kind === 'needMore' || block.kind === 'end' || block.kind === 'corrupt') {
        // A position beyond the end of a file that was cut meanwhile must not count as the file's end.
        const beyondBytes = bytesThere === 0 ? offset - (await bytes.size()) : 0;
        if (beyondBytes > 0) return yield { kind: 'incomplete', offset, missingBytes: beyondBytes };
        return yield outcomeOf(block, offset, bytesThere);
      }
      const nextBlockOffset = offset + block.size;
      if (block.kind === 'metadata') {
        const excess = this.metadata.add(block.packages, offset);
        if (excess) return yield excess;
      }
      this.metadata.passed(nextBlockOffset);
      if (block.kind === 'events') {
        const events = firstIndex === 0 ? block.events : block.events.slice(firstIndex);
        yield {
          kind: 'events',
          fileGuid: this.fileGuid,
          blockOffset: offset,
          nextBlockOffset,
          sequence: block.sequence,
          firstIndex,
          events,
        };
      }
      offset = nextBlockOffset;
      firstIndex = 0;
    }
  }

  /** The events from a position on, one by one. */
  async *events(bytes: Bytes, from: Position = START): AsyncGenerator<FileEvent | ReadOutcome> {
    for await (const item of this.blocks(bytes, from)) {
      if (item.kind === 'events') yield* eventsOf(item);
      else yield item;
    }
  }

  private async identityProblem(bytes: ReadAhead): Promise<ReadOutcome | null> {
    const header = decodeFileHeader(await bytes.aside(0, SECTOR_BYTES));
    const fileGuid = header.kind === 'header' ? header.fileGuid : null;
    return fileGuid === this.fileGuid ? null : { kind: 'replaced', fileGuid };
  }

  /** The block, if no bytes must be read for it; else null. */
  private blockAtHand(bytes: ReadAhead, offset: number): BlockRead | null {
    const there = bytes.atHand(offset, SECTOR_BYTES);
    const block = there && decodeBlock(there, offset, this.metadata.schema);
    return block && block.kind !== 'needMore' ? { block, bytesThere: there.length } : null;
  }

  private async readBlock(bytes: ReadAhead, offset: number): Promise<BlockRead> {
    const { schema } = this.metadata;
    const there = await bytes.from(offset, SECTOR_BYTES);
    const block = decodeBlock(there, offset, schema);
    if (block.kind !== 'needMore' || there.length < SECTOR_BYTES) return { block, bytesThere: there.length };
    const whole = await bytes.from(offset, block.bytes);
    return { block: decodeBlock(whole, offset, schema), bytesThere: whole.length };
  }
}

interface BlockRead {
  readonly block: BlockResult;
  readonly bytesThere: number;
}

/** The events of a block, each with its own position. */
export function* eventsOf(block: EventBlock): Generator<FileEvent> {
  for (const [i, event] of block.events.entries()) yield fileEventOf(block, i, event);
}

/** @param at index of the event in `block.events` */
export function fileEventOf(block: EventBlock, at: number, event: DecodedEvent): FileEvent {
  const { fileGuid, blockOffset, nextBlockOffset, firstIndex } = block;
  const next = positionBehind(block, at);
  return { kind: 'event', fileGuid, blockOffset, index: firstIndex + at, nextBlockOffset, next, event };
}

/** Where reading continues after an event of a block. */
export const positionBehind = (block: EventBlock, at: number): Position =>
  at + 1 < block.events.length
    ? { blockOffset: block.blockOffset, index: block.firstIndex + at + 1 }
    : { blockOffset: block.nextBlockOffset, index: 0 };
