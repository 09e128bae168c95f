import type { CheckpointEntry } from '../checkpoint/checkpoint-entry';
import { parseAuditFileName } from '../sqlaudit/audit-file-name';
import { nextSoundBlock } from '../sqlaudit/resync';
import type { FoundFile } from './audit-glob';
import { type Chunk, ChunkReader, type Stop } from './chunk-reader';
import { type Position, START, toPosition } from './position';
import { holdsBlockAt, withSource } from './same-file';

/** What is known of one audit file, by its GUID, while it grows, is renamed and goes. */
export class FollowedFile {
  /** The path that is read; null while none leads to it. */
  found: FoundFile | null = null;
  /** Further paths: copies, which may hold less or more of it. */
  private others: readonly FoundFile[] = [];
  /** A path is there that was not when it was read to its end. */
  private hasNewPath = false;
  name: string;
  /** Where it was last seen; null where nobody noted that. */
  path: string | null;
  /** Bytes when it was last seen. */
  size: number;
  /** See `FoundFile`; a copy or a rename does not change it. */
  created: bigint;
  private isDated: boolean;
  /** Audit whose files it continues; its own where its name does not tell. */
  readonly audit: string;
  private readonly hasAudit: boolean;
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
  /** Since when it is there and cannot be read; null: it can, as far as is known. */
  unreadableSinceMs: number | null = null;
  /** Sequence number of the last event block read; null where the next one may have any. */
  lastSequence: number | null;
  /** A part before the next block was passed over: the sequence numbers say nothing new of it. */
  isAfterSkip = false;
  /** Event times of the first record of the file and the last one that was read; null while not known. */
  firstTime: string | null = null;
  lastTime: string | null;
  /** Its end was lost, and that is noted as a gap. */
  isLost: boolean;
  /** It was renamed while it was the newest that was known: rollover passed it by, and may have removed later ones. */
  isPassedBy = false;
  private settledSize: number | null = null;
  private readonly reader: ChunkReader;

  /** @param found null for a file that only the checkpoint knows */
  constructor(
    readonly fileGuid: string,
    found: FoundFile | null,
    entry: CheckpointEntry | null,
  ) {
    this.reader = new ChunkReader(fileGuid);
    this.name = found?.name ?? entry?.file ?? fileGuid;
    this.path = entry?.path ?? null;
    this.size = entry?.size ?? entry?.endSize ?? Number.MAX_SAFE_INTEGER;
    const told = parseAuditFileName(this.name);
    this.audit = told?.audit ?? `file ${fileGuid}`;
    this.hasAudit = told !== null;
    this.created = told?.created ?? 0n;
    this.isDated = told !== null;
    this.next = entry ? toPosition(entry) : START;
    this.acknowledged = entry?.acknowledged ?? this.next;
    this.endSize = entry && !entry.acknowledged ? (entry.endSize ?? null) : null;
    this.mayGrow = entry?.mayGrow ?? false;
    this.lastSequence = entry ? (entry.sequence ?? null) : 0;
    this.lastTime = entry?.lastTime ?? null;
    this.isLost = entry?.isLost ?? false;
    if (found) this.seen(found);
  }

  get paths(): readonly FoundFile[] {
    return this.found === null ? [] : [this.found, ...this.others];
  }

  /** It is there. @param found path to read first. @param others paths of the same file */
  seen(found: FoundFile, others: readonly FoundFile[] = []): void {
    const before = new Set(this.paths.map(({ inode }) => inode));
    const isNew =
      (before.size > 0 || others.length > 0) && [found, ...others].some(({ inode }) => !before.has(inode));
    this.hasNewPath ||= isNew;
    this.isPassedBy ||= this.isLast && this.isRenamed([found, ...others]);
    this.follow(found, others);
  }

  /** SQL Server named it, and no path has such a name any more. */
  private isRenamed(paths: readonly FoundFile[]): boolean {
    const files = paths.filter(({ isSpooled }) => !isSpooled);
    return this.hasAudit && files.length > 0 && files.every(({ audit }) => audit === null);
  }

  private follow(found: FoundFile, others: readonly FoundFile[]): void {
    this.found = found;
    this.others = others;
    this.name = found.name;
    if (found.audit !== null || !this.isDated) this.created = found.created;
    this.isDated ||= found.audit !== null;
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
    this.others = [];
    this.release();
  }

  get isDue(): boolean {
    return this.found !== null && (this.hasGrown || this.hasNewPath);
  }

  /** Audit files only grow: a smaller one under this GUID is a cut copy. */
  private get hasGrown(): boolean {
    return this.endSize === null || (this.found?.size ?? 0) > this.endSize;
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

  /** @returns null where another path was found and holds nothing new */
  async readChunk(): Promise<Chunk | null> {
    const { found, others } = this;
    const isIdle = found === null || !(this.hasGrown || (await this.hasMore()));
    this.hasNewPath = false;
    if (isIdle) return null;
    const chunk = await this.chunkFromAny(found, others);
    // What is known of its end stays known.
    const isNews = chunk.blocks.length > 0 || chunk.end === null || chunk.end.kind === 'replaced';
    return isNews || this.hasGrown ? chunk : null;
  }

  private async chunkFromAny(found: FoundFile, others: readonly FoundFile[]): Promise<Chunk> {
    const chunk = await this.chunkFrom(found);
    if (others.length === 0 || chunk.end === null || chunk.end.kind === 'replaced') return chunk;
    // Another path may go on where this one ends: only when none does, it is the end of the file.
    if (chunk.blocks.length > 0) return { ...chunk, end: null };
    return (await this.chunkAfter(chunk.end.offset)) ?? chunk;
  }

  private async hasMore(): Promise<boolean> {
    const { fileGuid, next, paths } = this;
    for (const { path } of paths) if (await holdsBlockAt(path, fileGuid, next.blockOffset)) return true;
    return false;
  }

  /** The next part from a path that holds more than the one that ends at `offset`: that one is followed from now on. */
  private async chunkAfter(offset: number): Promise<Chunk | null> {
    const { fileGuid, others, paths } = this;
    for (const other of others) {
      if (!(await holdsBlockAt(other.path, fileGuid, offset))) continue;
      const chunk = await this.chunkFrom(other);
      const { end } = chunk;
      const isFurther =
        chunk.blocks.length > 0 || (end !== null && end.kind !== 'replaced' && end.offset > offset);
      if (!isFurther) continue;
      this.follow(
        other,
        paths.filter((path) => path !== other),
      );
      return { ...chunk, end: null };
    }
    return null;
  }

  private chunkFrom({ path }: FoundFile): Promise<Chunk> {
    return this.reader.read(path, this.next, this.stop);
  }

  /** Where reading can go on after damage or zeros, or null. */
  async soundBlockAfter(offset: number): Promise<number | null> {
    return withSource(this.found?.path ?? '', (source) => nextSoundBlock(source, offset));
  }

  /** Whether its metadata describes any event, or the one of that name. */
  describes(eventName?: string): boolean {
    return this.reader.describes(eventName);
  }

  /** Forgets what takes room, and can be read again. */
  release(): void {
    this.reader.release();
  }
}
