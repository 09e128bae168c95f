import type { AuditRecord } from '../../src/event/audit-record';
import { Batcher, type BatchLimits } from '../batcher';
import type { Bookmark, Snapshot } from '../bookmarks/bookmark';
import type { Clock } from '../clock';
import type { GapStore } from '../gaps/gap-store';
import { OpenGaps } from '../gaps/open-gaps';
import type { Log } from '../log';
import type { Problems } from '../problems';
import type { QueuedEvents } from '../queued-events';
import type { AuditSource } from '../source/audit-source';
import type { Spool } from '../spool/spool';
import type { AgentTimes } from '../times';
import { AuditFiles, type FileBookmarks } from './audit-files';
import type { Chunk } from './chunk-reader';
import { FileKeeper } from './file-keeper';
import type { FollowedFile, Stopped } from './followed-file';
import { JoinedRecords } from './joined-records';
import type { Hindrance, Unread } from './unread';
import { type Writing, writeWholeRecords } from './whole-records';

/** Events to publish, and the bookmarks to save once the events are published. */
export interface Batch {
  readonly events: QueuedEvents;
  readonly snapshot: Snapshot;
}

interface TailOptions {
  readonly database: string;
  readonly source: AuditSource;
  readonly isShared: boolean;
  readonly sourceType: string;
  readonly limits: BatchLimits;
  readonly pollIntervalMs: number;
  /** Reads what is there, then ends. */
  readonly once: boolean;
  readonly times: Pick<AgentTimes, 'joinWaitMs' | 'badBlockWaitMs' | 'spoolAfterMs'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly problems: Problems;
  readonly bookmarks: FileBookmarks;
  readonly gaps: Pick<GapStore, 'add' | 'unended'>;
  readonly spool: Spool;
}

/** How to continue after a part of a file. */
type Verdict = Stopped['kind'] | Unread['kind'];

/**
 * Follows the audit files of one database. It reads no further than the batch that the caller takes, and no file is open
 * while the caller has a batch.
 */
export class DatabaseTail {
  /** Must be told of each delivery by the caller that takes batches. */
  readonly keeper: FileKeeper;
  private readonly files: AuditFiles;
  private readonly gaps: OpenGaps;
  private readonly records = new JoinedRecords();
  private readonly batcher: Batcher;
  private readonly writing: Writing;
  private saidNoFiles = false;
  private saidAway = false;

  constructor(private readonly options: TailOptions) {
    this.gaps = new OpenGaps(options.database, options.gaps, options.clock);
    this.files = new AuditFiles({ ...options, gaps: this.gaps });
    this.keeper = new FileKeeper({ ...options, files: this.files, gaps: this.gaps });
    this.batcher = new Batcher(options.limits);
    const { clock, sourceType } = options;
    this.writing = { batcher: this.batcher, clock, sourceType };
  }

  get fileCount(): number {
    return this.files.present.length;
  }

  /** To be called with each delivered batch whose events are no longer needed. */
  settled({ events }: Batch): void {
    this.batcher.reuse(events);
  }

  /** The progress of the files that the last listing found. */
  get present(): readonly FollowedFile[] {
    return this.files.present;
  }

  /** Files and folders that could not be read at the last attempt and may hold events. */
  get unread(): readonly Hindrance[] {
    return this.files.unread;
  }

  /** Time of the last listing, in milliseconds since 1970; null if there was none yet, or the folder cannot be listed. */
  get listedAtMs(): number | null {
    return this.files.listedAtMs;
  }

  /** Whether a shared folder was away at the last listing. */
  get isAway(): boolean {
    return this.files.isAway;
  }

  /** Batches in the order of the files. A batch has no events if only the state of the files has changed. */
  async *batches(stop: AbortSignal): AsyncGenerator<Batch> {
    const { clock, once, pollIntervalMs, times } = this.options;
    while (!stop.aborted) {
      const nextPollMs = clock.elapsed() + pollIntervalMs;
      const heldBack = yield* this.poll(stop);
      if (stop.aborted) return;
      if (once) return yield await this.last();
      this.queue(this.records.releaseQuiet(clock.elapsed(), times.joinWaitMs, heldBack));
      yield* this.rest(nextPollMs, stop);
    }
  }

  /** Reads all present records. @returns the audits whose later files were left for the next poll */
  private async *poll(stop: AbortSignal): AsyncGenerator<Batch, ReadonlySet<string>> {
    const heldBack = new Set<string>();
    this.files.forgetGone();
    const isListed = await this.files.look();
    this.sayWhenAway();
    // The rest of a split record comes with the folder, or another host publishes all of it.
    if (this.isAway) return new Set(this.files.all.map(({ audit }) => audit));
    if (!isListed) return heldBack;
    this.sayWhenEmpty();
    await this.keeper.protect(stop);
    for (const file of this.files.all) {
      if (stop.aborted) break;
      if (!file.isDue || heldBack.has(file.audit)) continue;
      const mayContinue = yield* this.read(file, stop);
      if (!mayContinue) heldBack.add(file.audit);
    }
    return heldBack;
  }

  /** Reads a file as far as possible. @returns whether the files after it may be read now */
  private async *read(file: FollowedFile, stop: AbortSignal): AsyncGenerator<Batch, boolean> {
    while (!stop.aborted) {
      const chunk = await file.read();
      if (chunk === null) return true;
      const verdict = 'kind' in chunk ? this.verdictOf(file, chunk) : yield* this.take(file, chunk, stop);
      if (verdict === 'vanished') {
        // The file may exist under another name, or as a copy. Later records must not be read before it.
        if (!(await this.files.lookFor(file))) return false;
        if (file.found === null) return true;
      } else if (verdict === 'unreadable') return !this.isWaitedFor(file);
      else if (verdict !== 'more') return verdict === 'done';
    }
    return false;
  }

  /** Puts the events of a chunk into batches. */
  private async *take(file: FollowedFile, chunk: Chunk, stop: AbortSignal): AsyncGenerator<Batch, Verdict> {
    const { batcher, gaps } = this;
    for (const block of chunk.blocks) {
      this.beginBlock(file, block.sequence);
      for (let at = 0; at < block.events.length; ) {
        const written = this.mayWrite(file) ? writeWholeRecords(file, block, at, this.writing) : 0;
        if (written === 0) {
          this.queue(this.records.take(file, block, at));
          if (file.lastTime !== null) gaps.recordRead(file, file.lastTime);
        }
        at += Math.max(written, 1);
        if (batcher.isFull) yield await this.cut();
      }
      file.advance({ blockOffset: block.nextBlockOffset, index: 0 });
      if (stop.aborted) return 'heldBack';
    }
    if (this.isBatchDue) yield await this.cut();
    // The file may have disappeared while the caller had the batch.
    if (file.found === null) return 'vanished';
    if (chunk.end === null) return 'more';
    const { clock, once, times } = this.options;
    // A single run asks how long ago a file was written, which is of the clock on the wall.
    const nowMs = once ? clock.now() : clock.elapsed();
    const context = { nowMs, once, waitMs: times.badBlockWaitMs };
    return this.verdictOf(file, await file.stopAt(chunk.end, context));
  }

  /** Whether records can be copied in bulk: no record waits for a part, no gap for its end, no file for its first time. */
  private mayWrite(file: FollowedFile): boolean {
    return file.lastTime !== null && !this.gaps.waitFor(file) && this.records.passWhole(file);
  }

  private beginBlock(file: FollowedFile, sequence: number): void {
    const missing = file.beginBlock(sequence);
    if (missing === null) return;
    const { first, last, isNoted } = missing;
    const detail = `event blocks ${first} to ${last} are missing`;
    this.report(file, detail);
    if (!isNoted)
      this.gaps.note(file, { reason: 'BLOCKS_MISSING', range: `blocks ${first}-${last}`, detail });
  }

  /** Reports why a file cannot be read further, and notes what is lost of it. */
  private verdictOf(file: FollowedFile, outcome: Stopped | Unread): Verdict {
    if (outcome.kind === 'unreadable') this.report(file, `cannot be read: ${outcome.reason}`);
    if (outcome.kind === 'vanished' || outcome.kind === 'unreadable') return outcome.kind;
    const { kind, problem, lost } = outcome;
    if (problem !== null) this.report(file, problem);
    if (lost !== null && problem !== null) {
      const range = `bytes ${lost.from}-${lost.to ?? ''}`;
      this.gaps.note(file, { reason: 'UNREADABLE', range, detail: problem });
    }
    return kind;
  }

  /**
   * Whether later files wait for a file that cannot be read. Another program may lock it for a moment, and later records
   * must not be read before it.
   */
  private isWaitedFor(file: FollowedFile): boolean {
    const { clock, once, times } = this.options;
    return file.unreadableFor(clock.elapsed()) < times.badBlockWaitMs && !once;
  }

  /** Waits for the next poll, and yields the batch when it has waited long enough. */
  private async *rest(nextPollMs: number, stop: AbortSignal): AsyncGenerator<Batch> {
    const { clock } = this.options;
    if (this.batcher.dueAtMs === null) {
      const batch = await this.cut();
      if (batch.snapshot.bookmarks.size > 0) yield batch;
    }
    while (!stop.aborted) {
      const untilMs = Math.min(nextPollMs, this.batcher.dueAtMs ?? nextPollMs);
      await clock.wait(untilMs - clock.elapsed(), stop);
      if (stop.aborted) return;
      if (this.isBatchDue) yield await this.cut();
      if (clock.elapsed() >= nextPollMs) return;
    }
  }

  private get isBatchDue(): boolean {
    const { dueAtMs } = this.batcher;
    return dueAtMs !== null && this.options.clock.elapsed() >= dueAtMs;
  }

  private queue(records: readonly AuditRecord[]): void {
    const { clock, sourceType } = this.options;
    for (const record of records) this.batcher.add(record, sourceType, clock.elapsed());
  }

  /** Yields the remaining records when the tail waits for nothing more. */
  private async last(): Promise<Batch> {
    // The copies of removed files are read by now, so it is certain what is missing.
    await this.files.noteLosses();
    this.queue(this.records.flush());
    return this.cut();
  }

  /** The gaps are on disk before a bookmark moves past them. */
  private async cut(): Promise<Batch> {
    await this.gaps.flush();
    const bookmarks = this.changedBookmarks();
    const present = new Set(this.files.present.map((file) => file.fileGuid));
    return { events: this.batcher.take(), snapshot: { bookmarks, present } };
  }

  /** The bookmarks that differ from those of the last batch. */
  private changedBookmarks(): Map<string, Bookmark> {
    const bookmarks = new Map<string, Bookmark>();
    const auditsBegun = new Set<string>();
    for (const file of this.files.all) {
      const { audit, fileGuid } = file;
      const oldest = this.records.oldestOf(audit);
      const bookmark = file.changedBookmark(oldest, oldest !== null && auditsBegun.has(audit));
      if (oldest?.fileGuid === fileGuid) auditsBegun.add(audit);
      if (bookmark !== null) bookmarks.set(fileGuid, bookmark);
    }
    return bookmarks;
  }

  private report(file: FollowedFile, problem: string): void {
    this.options.problems.report(file.found?.path ?? file.name, problem);
  }

  private sayWhenAway(): void {
    if (this.isAway === this.saidAway) return;
    const { database, log, source } = this.options;
    log.info(`${database}: ${source.title} ${this.isAway ? 'is away: standby' : 'is back'}`);
    this.saidAway = this.isAway;
  }

  private sayWhenEmpty(): void {
    const { database, log, source } = this.options;
    const isEmpty = this.fileCount === 0;
    if (isEmpty && !this.saidNoFiles) log.warn(`${database}: no audit file matches ${source.title}`);
    this.saidNoFiles = isEmpty;
  }
}
