import type { FileByteSource } from '../sqlaudit/file-byte-source';
import { SECTOR_BYTES } from '../sqlaudit/limits';
import type { ReadOutcome } from '../sqlaudit/read-outcome';
import { type EventBlock, SqlAuditFile } from '../sqlaudit/reader';
import { isBlank } from './blank';
import type { Position } from './position';
import { isFile, withSource } from './same-file';

/** How much is read while a file is open: at least a block, else about a batch. */
const CHUNK_BYTES = 256 * 1024;
const CHUNK_EVENTS = 500;

export interface Chunk {
  readonly blocks: readonly EventBlock[];
  /** Why nothing follows; null where more is to be read at once. */
  readonly end: ReadOutcome | null;
}

/** The place a file was found to stop at without being at its end. */
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
  async read(path: string, next: Position, stop: Stop | null): Promise<Chunk> {
    return withSource(path, async (source) => {
      this.file ??= await this.opened(source);
      if (this.file === null) return { blocks: [], end: { kind: 'replaced', fileGuid: null } };
      if (stop?.kind === 'endOfWritten' && (await this.isStillBlank(source, stop.offset))) {
        return { blocks: [], end: { kind: 'endOfWritten', offset: stop.offset } };
      }
      const blocks: EventBlock[] = [];
      let events = 0;
      for await (const item of this.file.blocks(source, next)) {
        if (item.kind !== 'events') return { blocks, end: item };
        blocks.push(item);
        events += item.events.length;
        const bytes = item.nextBlockOffset - next.blockOffset;
        if (bytes >= CHUNK_BYTES || events >= CHUNK_EVENTS) break;
      }
      return { blocks, end: null };
    });
  }

  /** Whether its metadata describes any event, or the one of that name. */
  describes(eventName?: string): boolean {
    return this.file?.describes(eventName) ?? true;
  }

  /** Forgets the metadata, which may be large: files that are read to their end are many. */
  release(): void {
    this.file = null;
  }

  /** Saves the read of a whole window at every poll of a file whose space is reserved. */
  private async isStillBlank(source: FileByteSource, offset: number): Promise<boolean> {
    return (await isFile(source, this.fileGuid)) && isBlank(await source.read(offset, SECTOR_BYTES));
  }

  private async opened(source: FileByteSource): Promise<SqlAuditFile | null> {
    const result = await SqlAuditFile.open(source);
    return result.kind === 'opened' && result.file.fileGuid === this.fileGuid ? result.file : null;
  }
}
