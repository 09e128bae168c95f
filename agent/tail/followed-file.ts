import { type Bookmark, isUploadedAgain } from '../bookmarks/bookmark';
import type { FoundFile } from '../source/audit-source';
import { parseSourceName } from '../sqlaudit/audit-file-name';
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

/** The consequences of the place where reading stopped. */
export interface Stopped {
  /** Whether to continue with the file, with the later ones, or with none of its audit before the next poll. */
  readonly kind: 'more' | 'done' | 'heldBack';
  readonly problem: string | null;
  /** The bytes that the agent never reads; `to` null: up to the end. */
  readonly lost: { readonly from: number; readonly to: number | null } | null;
}

/** Event blocks that are missing according to the sequence numbers. */
interface MissingBlocks {
  readonly first: number;
  readonly last: number;
  /** Whether the blocks lie in a skipped part that is already noted. */
  readonly isNoted: boolean;
}

/** The sequence number that writers use if they do not count. */
const UNCOUNTED = 0xffffffff;

/**
 * One audit file, which its GUID identifies, while it grows, is renamed and disappears: where it is, how far it is read,
 * and its bookmark. Only this class changes the state of the file.
 */
export class FollowedFile {
  /** The audit whose files this file continues; one of its own if the name does not state the audit. */
  readonly audit: string;
  /** An earlier run has published everything before this position. The part is read again only to join records. */
  readonly acknowledged: Position;
  private readonly hasAudit: boolean;
  private readonly reader: ChunkReader;
  private sighting: Sighting;
  /** Whether a path appeared after the file was read to its end. */
  private hasNewPath = false;
  /** The final size of the file, of which the spool has everything. */
  private settledSize: number | null = null;
  private position: Position;
  /** The size at which nothing was left to read; null while there may be more. */
  private endSize: number | null;
  /** The version of a whole file that was read to its end; null: none was. */
  private endVersion: string | null;
  private stop: Stop | null = null;
  private unreadableSinceMs: number | null = null;
  private unreadableReason: string | null = null;
  /** Sequence number of the last event block that was read; null if the next block may have any number. */
  private lastSequence: number | null;
  /** Whether a part before the next block was skipped, about which the sequence numbers say nothing new. */
  private isAfterSkip = false;
  private times: { readonly first: string | null; readonly last: string | null };
  private lostIsNoted: boolean;
  private lastBookmark = '';
  private isBookmarkedToEnd = false;

  /** @param found null for a file that only its bookmark mentions */
  constructor(
    readonly fileGuid: string,
    found: FoundFile | null,
    bookmark: Bookmark | null,
    open: OpenFile,
  ) {
    this.reader = new ChunkReader(fileGuid, open);
    this.sighting = firstSighting(fileGuid, found, bookmark);
    const told = parseSourceName(this.sighting.name);
    this.audit = told?.audit ?? `file ${fileGuid}`;
    this.hasAudit = told !== null;
    this.position = bookmark ? toPosition(bookmark) : START;
    this.acknowledged = bookmark?.acknowledged ?? this.position;
    this.endSize = bookmark && !bookmark.acknowledged ? (bookmark.endSize ?? null) : null;
    this.endVersion = bookmark?.version ?? null;
    this.lastSequence = bookmark ? (bookmark.sequence ?? null) : 0;
    this.times = { first: null, last: bookmark?.lastTime ?? null };
    this.lostIsNoted = bookmark?.isLost ?? false;
    if (found) this.seen(found);
  }

  // Where the file is.

  /** The path that is read; null while no path leads to the file. */
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
  /** Bytes of the file when it was last seen. */
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

  /** To be called when the file is found. @param found path to read first. @param others further paths of the same file */
  seen(found: FoundFile, others: readonly FoundFile[] = []): void {
    const before = new Set(this.paths.map(({ inode }) => inode));
    const isNew =
      (before.size > 0 || others.length > 0) && [found, ...others].some(({ inode }) => !before.has(inode));
    this.hasNewPath ||= isNew;
    if (this.isAnotherUpload(found)) this.endSize = null;
    this.follow(seenAt(this.sighting, this.hasAudit ? this.audit : null, found, others));
  }

  /** Whether the object was uploaded again after it was read to its end, and may hold more at the same size. */
  private isAnotherUpload(found: FoundFile): boolean {
    const { endSize, endVersion, path } = this;
    if (endSize === null || endVersion === null || path === null) return false;
    return isUploadedAgain(found, { path, version: endVersion }) && found.size >= endSize;
  }

  /** To be called when no path leads to the file any more. */
  gone(): void {
    this.sighting = { ...this.sighting, found: null, others: [] };
    this.reader.release();
  }

  /** @param isLast whether no newer file of the audit is known */
  rank(isLast: boolean): void {
    // A missing file keeps the state in which it was last seen. With reserved space, the size says nothing.
    const isThere = this.found?.isSpooled === false;
    const isWritten = this.found?.isWhole !== true && (isLast || this.isAtReserved);
    const mayGrow = isThere ? isWritten : this.mayGrow;
    this.sighting = { ...this.sighting, isLast, mayGrow };
  }

  /** To be called when the spool has the whole file, whose size is then final. */
  settle(size: number): void {
    this.settledSize = size;
    this.sighting = { ...this.sighting, mayGrow: false };
  }

  /** To be called when a gap is noted for files that rollover may have removed after this one. */
  passedByNoted(): void {
    this.sighting = { ...this.sighting, isPassedBy: false };
  }

  private follow(sighting: Sighting): void {
    this.sighting = sighting;
    if (sighting.found?.isSpooled === false) this.lostIsNoted = false;
  }

  // How far the file is read.

  /** Where reading continues. */
  get next(): Position {
    return this.position;
  }
  /** Event time of the first record; null until that is read. */
  get firstTime(): string | null {
    return this.times.first;
  }
  /** Event time of the last record that was read; null if none was. */
  get lastTime(): string | null {
    return this.times.last;
  }
  /** Whether the end of the file is lost, and the loss is noted as a gap. */
  get isLost(): boolean {
    return this.lostIsNoted;
  }
  get isDue(): boolean {
    return this.found !== null && (this.hasGrown || this.hasNewPath);
  }
  /** Whether bytes were seen and not read. Zeros of reserved space do not count. */
  get hasUnread(): boolean {
    return this.writtenSize > Math.max(this.next.blockOffset, this.endSize ?? 0);
  }
  /** Bytes that were seen to be written. */
  get writtenSize(): number {
    return this.settledSize ?? (this.isAtReserved ? this.next.blockOffset : this.size);
  }
  /** Bytes of the path that is read, without reserved space at its end. */
  get readableSize(): number {
    return this.stop?.kind === 'endOfWritten' ? this.next.blockOffset : (this.found?.size ?? 0);
  }
  /** Whether the file was read to its end, and a newer file of the audit shows that nothing follows. */
  get isFinished(): boolean {
    return !this.mayGrow && this.endSize !== null && this.size <= this.endSize;
  }
  /** Whether reading stopped at reserved space, so that the size does not show whether the file grows. */
  private get isAtReserved(): boolean {
    return this.stop?.kind === 'endOfWritten' && this.settledSize === null;
  }
  /** Whether this is a cut copy: audit files only grow, and a smaller file has this GUID. */
  private get hasGrown(): boolean {
    return this.endSize === null || (this.found?.size ?? 0) > this.endSize;
  }

  /** @returns the next chunk; null if another path was found and holds nothing new */
  async read(): Promise<Chunk | Unread | null> {
    const chunk = await unlessUnreadable(() => this.readChunk());
    const isUnreadable = chunk !== null && 'kind' in chunk && chunk.kind === 'unreadable';
    this.unreadableReason = isUnreadable ? `cannot be read: ${chunk.reason}` : null;
    if (chunk === null || 'kind' in chunk) return chunk;
    this.unreadableSinceMs = null;
    if (chunk.end?.kind !== 'replaced') this.endSize = null;
    return chunk;
  }

  /** Why the file could not be read at the last attempt; null if it could. */
  get unreadable(): string | null {
    return this.unreadableReason;
  }

  /** To be called when the file could not be read. @returns for how long that has been so */
  unreadableFor(nowMs: number): number {
    this.unreadableSinceMs ??= nowMs;
    return nowMs - this.unreadableSinceMs;
  }

  /** To be called before a block is read. @returns the blocks that are missing before it, or null */
  beginBlock(sequence: number): MissingBlocks | null {
    const { lastSequence: last, isAfterSkip: isNoted } = this;
    this.lastSequence = sequence === UNCOUNTED ? null : sequence;
    this.isAfterSkip = false;
    if (last === null || sequence === UNCOUNTED || sequence <= last + 1) return null;
    return { first: last + 1, last: sequence - 1, isNoted };
  }

  /** Moves on to this position. @param eventTime of a record that was read; null: there was none */
  advance(to: Position, eventTime: string | null = null): void {
    this.position = to;
    if (eventTime === null) return;
    const { first, last } = this.times;
    this.times = { first: last === null ? eventTime : first, last: eventTime };
  }

  /** To be called when reading stopped: decides what follows from that, and applies it. */
  async stopAt(end: ReadOutcome, context: EndContext): Promise<Stopped | Unread> {
    const { found, isLast, next } = this;
    if (end.kind === 'replaced' || found === null) return { kind: 'vanished' };
    const stop = this.stopOf(end, context.nowMs);
    this.stop = stop;
    const file = {
      stop,
      next,
      isLast: isLast && found.isWhole !== true,
      size: found.size,
      mtimeMs: found.mtimeMs,
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

  /** To be called when the end of the file is lost and the loss is noted as a gap. */
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
    // The skipped zeros are no longer the end of the file.
    this.stop = null;
  }

  private finish(end: ReadOutcome, endSize: number, once: boolean): void {
    if (end.kind === 'complete') this.advance({ blockOffset: end.offset, index: 0 });
    this.endSize = endSize;
    this.stop = null;
    if (!this.isLast || once || this.found?.isWhole === true) this.reader.release();
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
    // The facts about the end of the file stay valid.
    const isNews = chunk.blocks.length > 0 || chunk.end === null || chunk.end.kind === 'replaced';
    return isNews || this.hasGrown ? chunk : null;
  }

  // The bookmark of the file.

  /**
   * The bookmark to save once everything read so far is acknowledged, if it differs from the last one that was returned.
   * @param oldest where the oldest waiting record of the audit begins
   * @param isAfterOldest whether this file comes after that record's file, and may hold a part of the record
   */
  changedBookmark(oldest: FilePosition | null, isAfterOldest: boolean): Bookmark | null {
    // Many files are read to their end, so this decides quickly that their bookmarks are unchanged.
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
    if (this.found?.isWhole === true && !this.isDue) this.endVersion = this.found.version;
    const { next, acknowledged, endSize, endVersion, writtenSize, lastSequence, lastTime } = this;
    const published = later(next, acknowledged);
    const needed = oldest?.fileGuid === this.fileGuid ? oldest : isAfterOldest ? START : next;
    const start = toPosition(earlier(needed, next));
    const isHeldBack = isBefore(start, published);
    // A block that is read again was already compared with the block before it.
    const tellsSequence = !isHeldBack && !this.isAfterSkip && lastSequence !== null;
    return {
      file: this.name,
      ...(this.path === null ? {} : { path: this.path }),
      ...start,
      ...(isHeldBack ? { acknowledged: toPosition(published) } : {}),
      ...(endSize === null ? {} : { endSize }),
      ...(writtenSize === endSize ? {} : { size: writtenSize }),
      ...(endVersion === null ? {} : { version: endVersion }),
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
