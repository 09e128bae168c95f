import { isBlank, isFile } from '../source/identity';
import { type Bytes, type OpenBytes, withBytes } from '../sqlaudit/bytes';
import { SECTOR_BYTES } from '../sqlaudit/limits';
import type { Position } from '../sqlaudit/position';
import type { ReadOutcome } from '../sqlaudit/read-outcome';
import { type EventBlock, SqlAuditFile } from '../sqlaudit/reader';

/** How much is read while a file is open: at least a block, else about a batch. */
const CHUNK_BYTES = 256 * 1024;
const CHUNK_EVENTS = 500;

export interface Chunk {
  readonly blocks: readonly EventBlock[];
  /** Why nothing follows; null where more can be read at once. */
  readonly end: ReadOutcome | null;
}

/** The place where reading a file stopped before the file's end. */
export interface Stop {
  readonly kind: ReadOutcome['kind'];
  readonly offset: number;
  readonly sinceMs: number;
  readonly polls: number;
}

/** Reads one audit file, by its GUID, from any of its paths. No path stays open. */
export class ChunkReader {
  private file: SqlAuditFile | null = null;

  constructor(private readonly fileGuid: string) {}

  /** The part from `next` on. @param stop where reading stopped before */
  async read(open: () => Promise<OpenBytes>, next: Position, stop: Stop | null): Promise<Chunk> {
    return withBytes(open, async (bytes) => {
      this.file ??= await this.opened(bytes);
      if (this.file === null) return { blocks: [], end: { kind: 'replaced', fileGuid: null } };
      if (stop?.kind === 'endOfWritten' && (await this.isStillBlank(bytes, stop.offset))) {
        return { blocks: [], end: { kind: 'endOfWritten', offset: stop.offset } };
      }
      const blocks: EventBlock[] = [];
      let events = 0;
      for await (const item of this.file.blocks(bytes, next)) {
        if (item.kind !== 'events') return { blocks, end: item };
        blocks.push(item);
        events += item.events.length;
        const bytesRead = item.nextBlockOffset - next.blockOffset;
        if (bytesRead >= CHUNK_BYTES || events >= CHUNK_EVENTS) break;
      }
      return { blocks, end: null };
    });
  }

  /** Whether the metadata describes any event, or the one of that name. */
  describes(eventName?: string): boolean {
    return this.file?.describes(eventName) ?? true;
  }

  /** Forgets the metadata, which may be large: many files are read to their end. */
  release(): void {
    this.file = null;
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
