import type { Bookmark } from '../bookmarks/bookmark';
import type { FoundFile } from '../source/audit-source';
import { parseAuditFileName } from '../sqlaudit/audit-file-name';
import {
  earlier,
  type FilePosition,
  isBefore,
  later,
  type Position,
  START,
  toPosition,
} from '../sqlaudit/position';
import type { ReadOutcome } from '../sqlaudit/read-outcome';
import { type Chunk, ChunkReader, type OpenFile, type Stop } from './chunk-reader';
import { type Decision, decideAtEnd, type EndContext } from './end-decision';
import { firstSighting, pathsOf, readFrom, type Sighting, seenAt } from './sighting';
import { type Unread, unlessUnreadable } from './unread';

/** What follows from the place where reading stopped. */
export interface Stopped {
  /** Continue with the file, with the ones after it, or with none of its audit before the next poll. */
  readonly kind: 'more' | 'done' | 'heldBack';
  readonly problem: string | null;
  /** Bytes that the agent never reads; `to` null: up to the end. */
  readonly lost: { readonly from: number; readonly to: number | null } | null;
}

/** Event blocks that the sequence numbers show to be missing. */
interface MissingBlocks {
  readonly first: number;
  readonly last: number;
  /** They lie in a part that was skipped, and that part is noted. */
  readonly isNoted: boolean;
}

/** Written in place of a sequence number by writers that do not count. */
const UNCOUNTED = 0xffffffff;

/**
 * One audit file, by its GUID, while it grows, is renamed and goes: where it is, how far it is read, and what the
 * bookmark says of it. Everything that changes in it changes here.
 */
export class FollowedFile {
  /** Audit whose files it continues; its own where its name does not tell. */
  readonly audit: string;
  /** Before this position an earlier run has published everything. It is read again only to join records. */
  readonly acknowledged: Position;
  private readonly hasAudit: boolean;
  private readonly reader: ChunkReader;
  private sighting: Sighting;
  /** A path is there that was not when the file was read to its end. */
  private hasNewPath = false;
  /** Its size for good: the spool has all of it. */
  private settledSize: number | null = null;
  private position: Position;
  /** Size at which nothing was left to read; null while there may be more. */
  private endSize: number | null;
  private stop: Stop | null = null;
  private unreadableSinceMs: number | null = null;
  private unreadableReason: string | null = null;
  /** Sequence number of the last event block read; null where the next one may have any. */
  private lastSequence: number | null;
  /** A part before the next block was skipped: the sequence numbers tell nothing new about it. */
  private isAfterSkip = false;
  private times: { readonly first: string | null; readonly last: string | null };
  private lostIsNoted: boolean;
  private lastBookmark = '';
  private isBookmarkedToEnd = false;

  /** @param found null for a file that only its bookmark tells of */
  constructor(
    readonly fileGuid: string,
    found: FoundFile | null,
    bookmark: Bookmark | null,
    open: OpenFile,
  ) {
    this.reader = new ChunkReader(fileGuid, open);
    this.sighting = firstSighting(fileGuid, found, bookmark);
    const told = parseAuditFileName(this.sighting.name);
    this.audit = told?.audit ?? `file ${fileGuid}`;
    this.hasAudit = told !== null;
    this.position = bookmark ? toPosition(bookmark) : START;
    this.acknowledged = bookmark?.acknowledged ?? this.position;
    this.endSize = bookmark && !bookmark.acknowledged ? (bookmark.endSize ?? null) : null;
    this.lastSequence = bookmark ? (bookmark.sequence ?? null) : 0;
    this.times = { first: null, last: bookmark?.lastTime ?? null };
    this.lostIsNoted = bookmark?.isLost ?? false;
    if (found) this.seen(found);
  }

  // Where it is.

  /** The path that is read; null while none leads to it. */
  get found(): FoundFile | null {
    return this.sighting.found;
  }
  get paths(): readonly FoundFile[] {
    return pathsOf(this.sighting);
  }
  get name(): string {
    return this.sighting.name;
  }
  /** Where the file itself was last seen; null: unknown. */
  get path(): string | null {
    return this.sighting.path;
  }
  /** Bytes when it was last seen. */
  get size(): number {
    return this.sighting.size;
  }
  get created(): bigint {
    return this.sighting.created;
  }
  get isLast(): boolean {
    return this.sighting.isLast;
  }
  get mayGrow(): boolean {
    return this.sighting.mayGrow;
  }
  get isPassedBy(): boolean {
    return this.sighting.isPassedBy;
  }

  /** It is there. @param found path to read first. @param others further paths of the same file */
  seen(found: FoundFile, others: readonly FoundFile[] = []): void {
    const before = new Set(this.paths.map(({ inode }) => inode));
    const isNew =
      (before.size > 0 || others.length > 0) && [found, ...others].some(({ inode }) => !before.has(inode));
    this.hasNewPath ||= isNew;
    this.follow(seenAt(this.sighting, this.hasAudit ? this.audit : null, found, others));
  }

  /** No path leads to it any more. */
  gone(): void {
    this.sighting = { ...this.sighting, found: null, others: [] };
    this.reader.release();
  }

  /** @param isLast no newer file of its audit is known */
  rank(isLast: boolean): void {
    // A file that is gone stays as it was last seen. The size of a file with reserved space tells nothing.
    const isThere = this.found?.isSpooled === false;
    const mayGrow = isThere ? isLast || this.isAtReserved : this.mayGrow;
    this.sighting = { ...this.sighting, isLast, mayGrow };
  }

  /** The spool has all of it: its size is known for good. */
  settle(size: number): void {
    this.settledSize = size;
    this.sighting = { ...this.sighting, mayGrow: false };
  }

  /** What rollover may have removed after it is noted as a gap. */
  passedByNoted(): void {
    this.sighting = { ...this.sighting, isPassedBy: false };
  }

  private follow(sighting: Sighting): void {
    this.sighting = sighting;
    if (sighting.found?.isSpooled === false) this.lostIsNoted = false;
  }

  // How far it is read.

  /** Where reading continues. */
  get next(): Position {
    return this.position;
  }
  /** Event time of the first record; null while that is not read. */
  get firstTime(): string | null {
    return this.times.first;
  }
  /** Event time of the last record that was read; null where none was. */
  get lastTime(): string | null {
    return this.times.last;
  }
  /** Its end is lost, and that is noted as a gap. */
  get isLost(): boolean {
    return this.lostIsNoted;
  }
  get isDue(): boolean {
    return this.found !== null && (this.hasGrown || this.hasNewPath);
  }
  /** Something was seen of it that was not read. Zeros of reserved space are nothing. */
  get hasUnread(): boolean {
    return this.writtenSize > Math.max(this.next.blockOffset, this.endSize ?? 0);
  }
  /** Bytes that were seen to be written. */
  get writtenSize(): number {
    return this.settledSize ?? (this.isAtReserved ? this.next.blockOffset : this.size);
  }
  /** Bytes of the path that is read, without the reserved space behind them. */
  get readableSize(): number {
    return this.stop?.kind === 'endOfWritten' ? this.next.blockOffset : (this.found?.size ?? 0);
  }
  /** It was read to its end, and a newer file of its audit shows that nothing follows. */
  get isFinished(): boolean {
    return !this.mayGrow && this.endSize !== null && this.size <= this.endSize;
  }
  /** Reading stopped at space that SQL Server had reserved: the size does not tell whether the file grows. */
  private get isAtReserved(): boolean {
    return this.stop?.kind === 'endOfWritten' && this.settledSize === null;
  }
  /** Audit files only grow: a smaller one under this GUID is a cut copy. */
  private get hasGrown(): boolean {
    return this.endSize === null || (this.found?.size ?? 0) > this.endSize;
  }

  /** @returns the next part; null where another path was found and holds nothing new */
  async read(): Promise<Chunk | Unread | null> {
    const chunk = await unlessUnreadable(() => this.readChunk());
    const isUnreadable = chunk !== null && 'kind' in chunk && chunk.kind === 'unreadable';
    this.unreadableReason = isUnreadable ? `cannot be read: ${chunk.reason}` : null;
    if (chunk === null || 'kind' in chunk) return chunk;
    this.unreadableSinceMs = null;
    if (chunk.end?.kind !== 'replaced') this.endSize = null;
    return chunk;
  }

  /** Why it could not be read when that was tried last; null: it could. */
  get unreadable(): string | null {
    return this.unreadableReason;
  }

  /** It could not be read. @returns for how long that has been so */
  unreadableFor(nowMs: number): number {
    this.unreadableSinceMs ??= nowMs;
    return nowMs - this.unreadableSinceMs;
  }

  /** A block follows. @returns the blocks that are missing before it, or null */
  beginBlock(sequence: number): MissingBlocks | null {
    const { lastSequence: last, isAfterSkip: isNoted } = this;
    this.lastSequence = sequence === UNCOUNTED ? null : sequence;
    this.isAfterSkip = false;
    if (last === null || sequence === UNCOUNTED || sequence <= last + 1) return null;
    return { first: last + 1, last: sequence - 1, isNoted };
  }

  /** Everything before this position is read. @param eventTime of a record that was read; null: there was none */
  advance(to: Position, eventTime: string | null = null): void {
    this.position = to;
    if (eventTime === null) return;
    const { first, last } = this.times;
    this.times = { first: last === null ? eventTime : first, last: eventTime };
  }

  /** Reading stopped here: decides what follows from that, and does it. */
  async stopAt(end: ReadOutcome, context: EndContext): Promise<Stopped | Unread> {
    const { found, isLast, next } = this;
    if (end.kind === 'replaced' || found === null) return { kind: 'vanished' };
    const stop = this.stopOf(end, context.nowMs);
    this.stop = stop;
    const file = {
      ...{ stop, next, isLast, size: found.size, mtimeMs: found.mtimeMs },
      describes: (eventName?: string) => this.reader.describes(eventName),
      soundBlockAfter: (offset: number) => this.reader.soundBlockAfter(found, offset),
    };
    const decision = await unlessUnreadable(() => decideAtEnd(file, end, context));
    if (decision.kind === 'vanished' || decision.kind === 'unreadable') return decision;
    const { problem } = decision;
    if (decision.kind === 'wait') {
      return { kind: decision.holdBack ? 'heldBack' : 'done', problem, lost: null };
    }
    if (decision.kind === 'skip') this.skip(decision.to);
    else this.finish(end, decision.endSize, context.once);
    return { kind: decision.kind === 'skip' ? 'more' : 'done', problem, lost: lostBy(decision) };
  }

  /** Its end is lost, and that is noted as a gap now. */
  lost(): void {
    this.lostIsNoted = true;
  }

  private stopOf({ kind, offset }: Exclude<ReadOutcome, { kind: 'replaced' }>, nowMs: number): Stop {
    const before = this.stop?.kind === kind && this.stop.offset === offset ? this.stop : null;
    return { kind, offset, sinceMs: before?.sinceMs ?? nowMs, polls: (before?.polls ?? 0) + 1 };
  }

  private skip(to: number): void {
    this.advance({ blockOffset: to, index: 0 });
    this.isAfterSkip = true;
    // The zeros that were skipped are no end of the file any more.
    this.stop = null;
  }

  private finish(end: ReadOutcome, endSize: number, once: boolean): void {
    if (end.kind === 'complete') this.advance({ blockOffset: end.offset, index: 0 });
    this.endSize = endSize;
    this.stop = null;
    if (!this.isLast || once) this.reader.release();
  }

  private async readChunk(): Promise<Chunk | null> {
    const { next, stop, paths, reader } = this;
    const [found, ...others] = paths;
    const holdsMore = this.hasGrown || (await reader.anyHoldsBlockAt(paths, next.blockOffset));
    this.hasNewPath = false;
    if (found === undefined || !holdsMore) return null;
    const { chunk, path } = await reader.read(found, others, { next, stop });
    if (path !== found) {
      const rest = paths.filter((one) => one !== path);
      this.follow(readFrom(this.sighting, path, rest));
    }
    // What is known about its end stays known.
    const isNews = chunk.blocks.length > 0 || chunk.end === null || chunk.end.kind === 'replaced';
    return isNews || this.hasGrown ? chunk : null;
  }

  // What its bookmark says.

  /**
   * The bookmark for when everything read so far is acknowledged, if it differs from the last one that was asked for.
   * @param oldest where the oldest waiting record of its audit begins
   * @param isAfterOldest it continues the file of that record, and may hold a part of it
   */
  changedBookmark(oldest: FilePosition | null, isAfterOldest: boolean): Bookmark | null {
    // Files that are read to their end are many: nobody looks at them twice.
    if (this.isBookmarkedToEnd && this.isFinished && oldest === null) return null;
    const bookmark = this.bookmark(oldest, isAfterOldest);
    this.isBookmarkedToEnd = this.isFinished && bookmark.acknowledged === undefined;
    const text = JSON.stringify(bookmark);
    if (text === this.lastBookmark) return null;
    this.lastBookmark = text;
    return bookmark;
  }

  /** The bookmark of a file that was found, and of which nothing is acknowledged. */
  firstBookmark(): Bookmark {
    return {
      file: this.name,
      ...(this.path === null ? {} : { path: this.path }),
      ...START,
      size: this.size,
      ...(this.mayGrow ? { mayGrow: true } : {}),
      sequence: 0,
    };
  }

  private bookmark(oldest: FilePosition | null, isAfterOldest: boolean): Bookmark {
    const { next, acknowledged, endSize, writtenSize, lastSequence, lastTime } = this;
    const published = later(next, acknowledged);
    const needed = oldest?.fileGuid === this.fileGuid ? oldest : isAfterOldest ? START : next;
    const start = toPosition(earlier(needed, next));
    const isHeldBack = isBefore(start, published);
    // A block that is read again was compared with the one before it already.
    const tellsSequence = !isHeldBack && !this.isAfterSkip && lastSequence !== null;
    return {
      file: this.name,
      ...(this.path === null ? {} : { path: this.path }),
      ...start,
      ...(isHeldBack ? { acknowledged: toPosition(published) } : {}),
      ...(endSize === null ? {} : { endSize }),
      ...(writtenSize === endSize ? {} : { size: writtenSize }),
      ...(this.mayGrow ? { mayGrow: true } : {}),
      ...(tellsSequence ? { sequence: lastSequence } : {}),
      ...(lastTime === null ? {} : { lastTime }),
      ...(this.isLost ? { isLost: true } : {}),
    };
  }
}

const lostBy = (decision: Exclude<Decision, { kind: 'wait' }>): Stopped['lost'] =>
  decision.lostFrom === null
    ? null
    : { from: decision.lostFrom, to: decision.kind === 'skip' ? decision.to : null };
