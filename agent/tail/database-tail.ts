import type { AuditRecord } from '../../src/event/audit-record';
import { Batcher, type BatchLimits } from '../batch/batcher';
import { type QueuedEvent, toQueuedEvent } from '../batch/queued-event';
import type { Snapshot } from '../checkpoint/checkpoint-entry';
import type { Clock } from '../clock';
import type { GapStore } from '../gaps/gap-store';
import { OpenGaps } from '../gaps/open-gaps';
import type { Log } from '../log';
import type { Problems } from '../problems';
import type { Spool } from '../spool/spool';
import { eventsOf } from '../sqlaudit/reader';
import type { AgentTimes } from '../times';
import { AuditFiles, type FileNotes } from './audit-files';
import type { AuditGlob } from './audit-glob';
import type { Chunk } from './chunk-reader';
import { FileKeeper } from './file-keeper';
import type { FollowedFile } from './followed-file';
import { JoinedRecords } from './joined-records';
import { Progress } from './progress';
import { chunkOf, type EndVerdict, isWaitedFor, noteMissingBlocks, settleEnd } from './reading';

/** Events to publish, and what of the files is published with them. */
export interface Batch {
  readonly events: readonly QueuedEvent[];
  readonly snapshot: Snapshot;
}

export interface TailOptions {
  readonly database: string;
  readonly glob: AuditGlob;
  readonly sourceType: string;
  readonly limits: BatchLimits;
  readonly pollIntervalMs: number;
  /** Reads what is there, then ends. */
  readonly once: boolean;
  readonly times: Pick<AgentTimes, 'joinWaitMs' | 'badBlockWaitMs' | 'spoolAfterMs'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly problems: Problems;
  readonly checkpoint: FileNotes;
  readonly gaps: Pick<GapStore, 'add'>;
  readonly spool: Spool;
}

/**
 * Follows the audit files of one database. Nothing is read ahead of who takes the batches, and no file is open
 * while a batch is being taken.
 */
export class DatabaseTail {
  /** Who takes batches lets it know of their delivery. */
  readonly keeper: FileKeeper;
  private readonly files: AuditFiles;
  private readonly gaps: OpenGaps;
  private readonly records = new JoinedRecords();
  private readonly progress = new Progress();
  private readonly batcher: Batcher;
  private saidNoFiles = false;

  constructor(private readonly options: TailOptions) {
    this.gaps = new OpenGaps(options.database, options.gaps, options.clock);
    this.files = new AuditFiles({ ...options, gaps: this.gaps });
    this.keeper = new FileKeeper({ ...options, files: this.files, gaps: this.gaps });
    this.batcher = new Batcher(options.limits);
  }

  get fileCount(): number {
    return this.files.present.length;
  }

  /** The files as they were when the folder was last looked at. */
  get present(): readonly FollowedFile[] {
    return this.files.present;
  }

  /** When the folder was last looked at, in milliseconds since 1970; null: not yet, or it cannot be. */
  get listedAtMs(): number | null {
    return this.files.listedAtMs;
  }

  /** Batches in the order of the files; without events where only the files' state has changed. */
  async *batches(stop: AbortSignal): AsyncGenerator<Batch> {
    const { clock, once, pollIntervalMs, times } = this.options;
    while (!stop.aborted) {
      const nextPollMs = clock.now() + pollIntervalMs;
      const heldBack = yield* this.poll(stop);
      if (stop.aborted) return;
      if (once) return yield await this.last();
      this.queue(this.records.letGoQuiet(clock.now(), times.joinWaitMs, heldBack));
      yield* this.rest(nextPollMs, stop);
    }
  }

  /** Reads everything there is. @returns audits whose later files were left for the next poll */
  private async *poll(stop: AbortSignal): AsyncGenerator<Batch, ReadonlySet<string>> {
    const heldBack = new Set<string>();
    this.files.forgetGone();
    if (!(await this.files.look())) return heldBack;
    this.sayWhenEmpty();
    await this.keeper.protect(stop);
    for (const file of this.files.all) {
      if (stop.aborted) break;
      if (!file.isDue || heldBack.has(file.audit)) continue;
      const mayGoOn = yield* this.read(file, stop);
      if (!mayGoOn) heldBack.add(file.audit);
    }
    return heldBack;
  }

  /** Reads a file as far as it goes. @returns whether the files after it may be read now */
  private async *read(file: FollowedFile, stop: AbortSignal): AsyncGenerator<Batch, boolean> {
    const { files, options } = this;
    while (!stop.aborted) {
      const chunk = await chunkOf(file, options.problems);
      if (chunk === null) return true;
      const verdict = typeof chunk === 'string' ? chunk : yield* this.take(file, chunk, stop);
      if (verdict === 'vanished') {
        // What follows it must not be read before it: it may go on under another name, or as a copy.
        if (!(await files.lookFor(file))) return false;
        if (file.found === null) return true;
      } else if (verdict === 'unreadable') return !isWaitedFor(file, options);
      else if (verdict !== 'more') return verdict === 'done';
    }
    return false;
  }

  /** Takes a part of a file in. @returns how to go on with the file */
  private async *take(
    file: FollowedFile,
    chunk: Chunk,
    stop: AbortSignal,
  ): AsyncGenerator<Batch, EndVerdict> {
    const { batcher, gaps, options } = this;
    file.unreadableSinceMs = null;
    if (chunk.end?.kind !== 'replaced') file.endSize = null;
    for (const block of chunk.blocks) {
      noteMissingBlocks(file, block.sequence, { problems: options.problems, gaps });
      for (const event of eventsOf(block)) {
        this.queue(this.records.take(file, event));
        if (file.lastTime !== null) gaps.recordRead(file, file.lastTime);
        if (batcher.isFull) yield await this.cut();
      }
      file.next = { blockOffset: block.nextBlockOffset, index: 0 };
      if (stop.aborted) return 'heldBack';
    }
    if (this.isBatchDue) yield await this.cut();
    // It may have gone while the batch was taken.
    if (file.found === null) return 'vanished';
    return chunk.end === null ? 'more' : settleEnd(file, chunk.end, { ...options, gaps });
  }

  /** Waits for the next poll, and gives the batch when it has waited long enough. */
  private async *rest(nextPollMs: number, stop: AbortSignal): AsyncGenerator<Batch> {
    const { clock } = this.options;
    if (this.batcher.dueAtMs === null) {
      const batch = await this.cut();
      if (batch.snapshot.entries.size > 0) yield batch;
    }
    while (!stop.aborted) {
      const untilMs = Math.min(nextPollMs, this.batcher.dueAtMs ?? nextPollMs);
      await clock.wait(untilMs - clock.now(), stop);
      if (stop.aborted) return;
      if (this.isBatchDue) yield await this.cut();
      if (clock.now() >= nextPollMs) return;
    }
  }

  private get isBatchDue(): boolean {
    const { dueAtMs } = this.batcher;
    return dueAtMs !== null && this.options.clock.now() >= dueAtMs;
  }

  private queue(records: readonly AuditRecord[]): void {
    const { clock, sourceType } = this.options;
    for (const record of records) this.batcher.add(toQueuedEvent(record, sourceType), clock.now());
  }

  /** What is left when nothing more is waited for. */
  private async last(): Promise<Batch> {
    // What there was of files that are gone is read by now: what is missing is certain.
    await this.files.noteLosses();
    this.queue(this.records.letGoAll());
    return this.cut();
  }

  /** Only when the gaps are on disk may the checkpoint move past them. */
  private async cut(): Promise<Batch> {
    await this.gaps.flush();
    const entries = this.progress.changes(this.files.all, (file) => this.records.oldestOf(file.audit));
    const present = new Set(this.files.present.map((file) => file.fileGuid));
    return { events: this.batcher.take(), snapshot: { entries, present } };
  }

  private sayWhenEmpty(): void {
    const { database, glob, log } = this.options;
    const isEmpty = this.fileCount === 0;
    if (isEmpty && !this.saidNoFiles) {
      log.warn(`${database}: no audit file matches ${glob.pattern ?? ''} in ${glob.folder}`);
    }
    this.saidNoFiles = isEmpty;
  }
}
