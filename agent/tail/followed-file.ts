import type { CheckpointEntry } from '../checkpoint/checkpoint-entry';
import { FileByteSource } from '../sqlaudit/file-byte-source';
import type { ReadOutcome } from '../sqlaudit/read-outcome';
import { type EventBlock, SqlAuditFile } from '../sqlaudit/reader';
import { nextSoundBlock } from '../sqlaudit/resync';
import type { FoundFile } from './audit-glob';
import { type Position, START, toPosition } from './position';

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

/** What is known of one audit file, by its GUID, while it grows, is renamed and goes. */
export class FollowedFile {
  /** Null while no path leads to it. */
  found: FoundFile | null;
  name: string;
  /** Audit whose files it continues; its own where its name does not tell. */
  readonly audit: string;
  /** No newer file of its audit is there: it may still be written. */
  isLast = true;
  next: Position;
  /** What comes before was acknowledged in an earlier run and is only read to join records that were open then. */
  readonly acknowledged: Position;
  /** Size at which there was nothing left to read; null while there may be. */
  endSize: number | null;
  stop: Stop | null = null;
  lastSequence: number | null = null;
  private reader: SqlAuditFile | null = null;

  constructor(
    readonly fileGuid: string,
    found: FoundFile,
    entry: CheckpointEntry | null,
  ) {
    this.found = found;
    this.name = found.name;
    this.audit = found.audit ?? `file ${fileGuid}`;
    this.next = entry ? toPosition(entry) : START;
    this.acknowledged = entry?.acknowledged ?? this.next;
    this.endSize = entry && !entry.acknowledged ? (entry.endSize ?? null) : null;
  }

  /** Audit files only grow: a smaller one under this GUID is a cut copy and tells nothing new. */
  get isDue(): boolean {
    return this.found !== null && (this.endSize === null || this.found.size > this.endSize);
  }

  /** Something is there that was not read; zeros that were reserved are nothing. */
  get hasUnread(): boolean {
    return this.isDue && this.stop?.kind !== 'endOfWritten';
  }

  async readChunk(): Promise<Chunk> {
    return this.withSource(async (source) => {
      const reader = this.reader ?? (await this.opened(source));
      this.reader = reader;
      if (reader === null) return { blocks: [], end: { kind: 'replaced', fileGuid: null } };
      const blocks: EventBlock[] = [];
      let events = 0;
      for await (const item of reader.blocks(source, this.next)) {
        if (item.kind !== 'events') return { blocks, end: item };
        blocks.push(item);
        events += item.events.length;
        const bytes = item.nextBlockOffset - this.next.blockOffset;
        if (bytes >= CHUNK_BYTES || events >= CHUNK_EVENTS) break;
      }
      return { blocks, end: null };
    });
  }

  /** Where reading can go on after damage or zeros, or null. */
  async soundBlockAfter(offset: number): Promise<number | null> {
    return this.withSource((source) => nextSoundBlock(source, offset));
  }

  /** Whether its metadata describes any event, or the one of that name. */
  describes(eventName?: string): boolean {
    return this.reader?.describes(eventName) ?? true;
  }

  /** Forgets the metadata, which may be large: files that are read to their end are many. */
  release(): void {
    this.reader = null;
  }

  private async opened(source: FileByteSource): Promise<SqlAuditFile | null> {
    const result = await SqlAuditFile.open(source);
    return result.kind === 'opened' && result.file.fileGuid === this.fileGuid ? result.file : null;
  }

  private async withSource<T>(use: (source: FileByteSource) => Promise<T>): Promise<T> {
    const source = await FileByteSource.open(this.found?.path ?? '');
    try {
      return await use(source);
    } finally {
      await source.close();
    }
  }
}
