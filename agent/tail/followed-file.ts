import type { CheckpointEntry } from '../checkpoint/checkpoint-entry';
import { parseAuditFileName } from '../sqlaudit/audit-file-name';
import { FileByteSource } from '../sqlaudit/file-byte-source';
import { SECTOR_BYTES } from '../sqlaudit/limits';
import type { ReadOutcome } from '../sqlaudit/read-outcome';
import { type EventBlock, SqlAuditFile } from '../sqlaudit/reader';
import { nextSoundBlock } from '../sqlaudit/resync';
import type { FoundFile } from './audit-glob';
import { isBlank } from './blank';
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
  found: FoundFile | null = null;
  name: string;
  /** Where it was last seen; null where nobody noted that. */
  path: string | null;
  /** Bytes when it was last seen. */
  size: number;
  /** See `FoundFile`. */
  created: bigint;
  /** Audit whose files it continues; its own where its name does not tell. */
  readonly audit: string;
  /** No newer file of its audit is known: it may still be written. */
  isLast = true;
  /** When it was last seen, no newer file of its audit was there, or its size did not tell whether it had grown. */
  mayGrow: boolean;
  next: Position;
  /** What comes before was acknowledged in an earlier run and is only read to join records that were open then. */
  readonly acknowledged: Position;
  /** Size at which there was nothing left to read; null while there may be. */
  endSize: number | null;
  stop: Stop | null = null;
  /** Sequence number of the last event block read; null where the next one may have any. */
  lastSequence: number | null;
  /** A part before the next block was passed over: the sequence numbers say nothing new of it. */
  isAfterSkip = false;
  /** Event times of the first record of the file and the last one that was read; null while not known. */
  firstTime: string | null = null;
  lastTime: string | null;
  /** Its end was lost, and that is noted as a gap. */
  isLost: boolean;
  private settledSize: number | null = null;
  private reader: SqlAuditFile | null = null;

  /** @param found null for a file that only the checkpoint knows */
  constructor(
    readonly fileGuid: string,
    found: FoundFile | null,
    entry: CheckpointEntry | null,
  ) {
    this.name = found?.name ?? entry?.file ?? fileGuid;
    this.path = entry?.path ?? null;
    this.size = entry?.size ?? entry?.endSize ?? Number.MAX_SAFE_INTEGER;
    const told = parseAuditFileName(this.name);
    this.audit = told?.audit ?? `file ${fileGuid}`;
    this.created = told?.created ?? 0n;
    this.next = entry ? toPosition(entry) : START;
    this.acknowledged = entry?.acknowledged ?? this.next;
    this.endSize = entry && !entry.acknowledged ? (entry.endSize ?? null) : null;
    this.mayGrow = entry?.mayGrow ?? false;
    this.lastSequence = entry ? (entry.sequence ?? null) : 0;
    this.lastTime = entry?.lastTime ?? null;
    this.isLost = entry?.isLost ?? false;
    if (found) this.seen(found);
  }

  /** It is there. */
  seen(found: FoundFile): void {
    this.found = found;
    this.name = found.name;
    this.created = found.created;
    if (found.isSpooled) return;
    this.path = found.path;
    this.size = found.size;
    this.isLost = false;
  }

  /** Its size is known for good: the spool has all of it. */
  settle(size: number): void {
    this.settledSize = size;
    this.mayGrow = false;
  }

  /** No path leads to it any more. */
  gone(): void {
    this.found = null;
    this.release();
  }

  /** Audit files only grow: a smaller one under this GUID is a cut copy and tells nothing new. */
  get isDue(): boolean {
    return this.found !== null && (this.endSize === null || this.found.size > this.endSize);
  }

  /** Something was seen of it that was not read; zeros that were reserved are nothing. */
  get hasUnread(): boolean {
    return this.writtenSize > Math.max(this.next.blockOffset, this.endSize ?? 0);
  }

  /** Bytes that were seen to be written. */
  get writtenSize(): number {
    return this.settledSize ?? (this.isAtReserved ? this.next.blockOffset : this.size);
  }

  /** Reading stopped where there was only space that SQL Server had reserved: its size does not tell whether it grows. */
  get isAtReserved(): boolean {
    return this.stop?.kind === 'endOfWritten' && this.settledSize === null;
  }

  /** It was read to its end, which a newer file of its audit shows to be the last word. */
  get isFinished(): boolean {
    return !this.mayGrow && this.endSize !== null && this.size <= this.endSize;
  }

  async readChunk(): Promise<Chunk> {
    return this.withSource(async (source) => {
      const { stop, next } = this;
      const reader = this.reader ?? (await this.opened(source));
      this.reader = reader;
      if (reader === null) return { blocks: [], end: { kind: 'replaced', fileGuid: null } };
      if (stop?.kind === 'endOfWritten' && (await this.isStillBlank(source, stop.offset))) {
        return { blocks: [], end: { kind: 'endOfWritten', offset: stop.offset } };
      }
      const blocks: EventBlock[] = [];
      let events = 0;
      for await (const item of reader.blocks(source, next)) {
        if (item.kind !== 'events') return { blocks, end: item };
        blocks.push(item);
        events += item.events.length;
        const bytes = item.nextBlockOffset - next.blockOffset;
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

  /** Saves the read of a whole window at every poll of a file whose space is reserved. */
  private async isStillBlank(source: FileByteSource, offset: number): Promise<boolean> {
    const opened = await SqlAuditFile.open(source);
    const isSame = opened.kind === 'opened' && opened.file.fileGuid === this.fileGuid;
    return isSame && isBlank(await source.read(offset, SECTOR_BYTES));
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
