import type { FoundFile } from '../source/audit-source';
import { isBlank, isFile } from '../source/identity';
import { decodeBlockHeader } from '../sqlaudit/block-header';
import { type Bytes, type OpenBytes, withBytes } from '../sqlaudit/bytes';
import { SECTOR_BYTES } from '../sqlaudit/limits';
import type { Position } from '../sqlaudit/position';
import { WINDOW_BYTES } from '../sqlaudit/read-ahead';
import type { ReadOutcome } from '../sqlaudit/read-outcome';
import { type EventBlock, SqlAuditFile } from '../sqlaudit/reader';
import { nextSoundBlock } from '../sqlaudit/resync';
import { soundEnd } from '../sqlaudit/sound-end';
import { type Unread, unlessUnreadable } from './unread';

/** How much is read while a file is open: at least a block, and up to a window of reading or about a batch. */
const CHUNK_BYTES = 768 * 1024;
const CHUNK_EVENTS = 1_000;

export interface Chunk {
  readonly blocks: readonly EventBlock[];
  /** Why nothing follows; null if more can be read at once. */
  readonly end: ReadOutcome | null;
}

/** The place in a file where reading stopped before the end. */
export interface Stop {
  readonly kind: ReadOutcome['kind'];
  readonly offset: number;
  readonly sinceMs: number;
  readonly polls: number;
}

/** Opens one of the paths of a file. */
export type OpenFile = (path: FoundFile) => Promise<OpenBytes>;

/** Where reading starts, and where it stopped the last time. */
interface ReadFrom {
  readonly next: Position;
  readonly stop: Stop | null;
}

/** Reads one audit file, which its GUID identifies, from any of its paths. No path stays open. */
export class ChunkReader {
  private file: SqlAuditFile | null = null;
  /** Memory for chunks while more follow: a chunk is no longer needed when the next one is read. */
  private memory: Buffer | null = null;

  constructor(
    private readonly fileGuid: string,
    private readonly open: OpenFile,
  ) {}

  /** The part from a position on. @returns also the path that holds it: the first one unless another holds more */
  async read(
    first: FoundFile,
    others: readonly FoundFile[],
    from: ReadFrom,
  ): Promise<{ readonly chunk: Chunk; readonly path: FoundFile }> {
    const chunk = await this.chunkOf(first, from);
    if (others.length === 0 || chunk.end === null || chunk.end.kind === 'replaced')
      return { chunk, path: first };
    // Another path may hold more than this one. Only if none does, this is the end of the file.
    if (chunk.blocks.length > 0) return { chunk: { ...chunk, end: null }, path: first };
    const { offset } = chunk.end;
    for (const path of others) {
      if (!(await this.holdsBlockAt(path, offset))) continue;
      const { blocks, end } = await this.chunkOf(path, from);
      const isFurther = blocks.length > 0 || (end !== null && end.kind !== 'replaced' && end.offset > offset);
      if (isFurther) return { chunk: { blocks, end: null }, path };
    }
    return { chunk, path: first };
  }

  /** Whether one of the paths holds a whole, sound block of this file at `offset`. */
  async anyHoldsBlockAt(paths: readonly FoundFile[], offset: number): Promise<boolean> {
    for (const path of paths) if (await this.holdsBlockAt(path, offset)) return true;
    return false;
  }

  /** Where reading can continue after damage or zeros, or null. */
  soundBlockAfter(path: FoundFile, offset: number): Promise<number | null> {
    return withBytes(
      () => this.open(path),
      (bytes) => nextSoundBlock(bytes, offset),
    );
  }

  /** The result of `ask` on the path; false if the path cannot be read. */
  private async holdsBlockAt(path: FoundFile, offset: number): Promise<boolean> {
    const holds: boolean | Unread = await unlessUnreadable(() =>
      withBytes(
        () => this.open(path),
        async (bytes) => {
          const header = decodeBlockHeader(await bytes.read(offset, SECTOR_BYTES), 0);
          if (header.kind !== 'block' || !(await isFile(bytes, this.fileGuid))) return false;
          const { end } = await soundEnd(bytes, offset, { enoughBytes: 1, maxBytes: header.size });
          return end > offset;
        },
      ),
    );
    return holds === true;
  }

  private chunkOf(path: FoundFile, { next, stop }: ReadFrom): Promise<Chunk> {
    return withBytes(
      () => this.open(path),
      async (bytes) => {
        this.file ??= await this.opened(bytes);
        if (this.file === null) return { blocks: [], end: { kind: 'replaced', fileGuid: null } };
        if (stop?.kind === 'endOfWritten' && (await this.isStillBlank(bytes, stop.offset))) {
          return { blocks: [], end: { kind: 'endOfWritten', offset: stop.offset } };
        }
        const blocks: EventBlock[] = [];
        let events = 0;
        for await (const item of this.file.blocks(bytes, next, this.memoryFor(path, next))) {
          if (item.kind !== 'events') {
            this.memory = null;
            return { blocks, end: item };
          }
          blocks.push(item);
          events += item.events.length;
          const bytesRead = item.nextBlockOffset - next.blockOffset;
          if (bytesRead >= CHUNK_BYTES || events >= CHUNK_EVENTS) break;
        }
        return { blocks, end: null };
      },
    );
  }

  private memoryFor({ size }: FoundFile, { blockOffset }: Position): Buffer | undefined {
    if (size - blockOffset < WINDOW_BYTES) return undefined;
    this.memory ??= Buffer.allocUnsafeSlow(WINDOW_BYTES);
    return this.memory;
  }

  /** Whether the metadata describes any event, or the one of that name. */
  describes(eventName?: string): boolean {
    return this.file?.describes(eventName) ?? true;
  }

  /** Forgets the metadata, which may be large: many files are read to their end. */
  release(): void {
    this.file = null;
    this.memory = null;
  }

  /** Saves reading a whole window at every poll of a file with reserved space. */
  private async isStillBlank(bytes: Bytes, offset: number): Promise<boolean> {
    return (await isFile(bytes, this.fileGuid)) && isBlank(await bytes.read(offset, SECTOR_BYTES));
  }

  private async opened(bytes: Bytes): Promise<SqlAuditFile | null> {
    const result = await SqlAuditFile.open(bytes);
    return result.kind === 'opened' && result.file.fileGuid === this.fileGuid ? result.file : null;
  }
}
