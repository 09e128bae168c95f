import type { AuditRecord } from '../../src/audit-event/audit-record';
import { Batcher, type BatchLimits } from '../batch/batcher';
import { type QueuedEvent, toQueuedEvent } from '../batch/queued-event';
import type { CheckpointEntry, Snapshot } from '../checkpoint/checkpoint-entry';
import type { Clock } from '../clock';
import type { Log } from '../log';
import type { Problems } from '../problems';
import { eventsOf } from '../sqlaudit/reader';
import type { AgentTimes } from '../times';
import { type AuditGlob, listAuditFiles } from './audit-glob';
import { FileSet } from './file-set';
import type { FollowedFile } from './followed-file';
import { JoinedRecords } from './joined-records';
import { Progress } from './progress';
import { chunkOf, noteMissingBlocks, settleEnd } from './reading';

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
  readonly times: Pick<AgentTimes, 'joinWaitMs' | 'badBlockWaitMs'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly problems: Problems;
  entryOf(fileGuid: string): CheckpointEntry | null;
}

/**
 * Follows the audit files of one database. Nothing is read ahead of who takes the batches, and no file is open
 * while a batch is being taken.
 */
export class DatabaseTail {
  private readonly files: FileSet;
  private readonly records = new JoinedRecords();
  private readonly progress = new Progress();
  private readonly batcher: Batcher;
  private ordered: readonly FollowedFile[] = [];
  private saidNoFiles = false;

  constructor(private readonly options: TailOptions) {
    this.files = new FileSet((fileGuid) => options.entryOf(fileGuid), options.problems);
    this.batcher = new Batcher(options.limits);
  }

  get fileCount(): number {
    return this.ordered.length;
  }

  /** Batches in the order of the files; without events where only the files' state has changed. */
  async *batches(stop: AbortSignal): AsyncGenerator<Batch> {
    const { clock, once, pollIntervalMs, times } = this.options;
    while (!stop.aborted) {
      const nextPollMs = clock.now() + pollIntervalMs;
      const heldBack = yield* this.poll(stop);
      if (stop.aborted) return;
      this.queue(
        once ? this.records.letGoAll() : this.records.letGoQuiet(clock.now(), times.joinWaitMs, heldBack),
      );
      if (once) return yield this.cut();
      yield* this.rest(nextPollMs, stop);
    }
  }

  /** Reads everything there is. @returns audits whose later files were left for the next poll */
  private async *poll(stop: AbortSignal): AsyncGenerator<Batch, ReadonlySet<string>> {
    const heldBack = new Set<string>();
    const { clock, glob, problems } = this.options;
    const listing = await listAuditFiles(glob);
    if (listing.kind === 'unreadable') {
      problems.report(listing.folder, `cannot be listed: ${listing.reason}`);
      return heldBack;
    }
    this.ordered = await this.files.refresh(listing.files, clock.now());
    this.sayWhenEmpty();
    for (const file of this.ordered) {
      if (stop.aborted) break;
      if (!file.isDue || heldBack.has(file.audit)) continue;
      const mayGoOn = yield* this.read(file, stop);
      if (!mayGoOn) heldBack.add(file.audit);
    }
    return heldBack;
  }

  /** Reads a file as far as it goes. @returns whether the files after it may be read now */
  private async *read(file: FollowedFile, stop: AbortSignal): AsyncGenerator<Batch, boolean> {
    const { batcher, options } = this;
    const { clock, problems } = options;
    while (!stop.aborted) {
      const chunk = await chunkOf(file, problems);
      if (chunk === null) return true;
      if (chunk.end?.kind !== 'replaced') file.endSize = null;
      for (const block of chunk.blocks) {
        noteMissingBlocks(file, block.sequence, problems);
        for (const event of eventsOf(block)) {
          this.queue(this.records.take(file, event));
          if (batcher.isFull) yield this.cut();
        }
        file.next = { blockOffset: block.nextBlockOffset, index: 0 };
        if (stop.aborted) return false;
      }
      if (this.isBatchDue) yield this.cut();
      const verdict = chunk.end === null ? 'more' : await settleEnd(file, chunk.end, options);
      if (verdict === 'replaced') this.files.replaced(file, clock.now());
      if (verdict !== 'more') return verdict !== 'heldBack';
    }
    return false;
  }

  /** Waits for the next poll, and gives the batch when it has waited long enough. */
  private async *rest(nextPollMs: number, stop: AbortSignal): AsyncGenerator<Batch> {
    const { clock } = this.options;
    if (this.batcher.dueAtMs === null) {
      const batch = this.cut();
      if (batch.snapshot.entries.size > 0) yield batch;
    }
    while (!stop.aborted) {
      const untilMs = Math.min(nextPollMs, this.batcher.dueAtMs ?? nextPollMs);
      await clock.wait(untilMs - clock.now(), stop);
      if (stop.aborted) return;
      if (this.isBatchDue) yield this.cut();
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

  private cut(): Batch {
    const entries = this.progress.changes(this.ordered, (file) => this.records.oldestOf(file.audit));
    const present = new Set(this.ordered.map((file) => file.fileGuid));
    return { events: this.batcher.take(), snapshot: { entries, present } };
  }

  private sayWhenEmpty(): void {
    const { database, glob, log } = this.options;
    const isEmpty = this.ordered.length === 0;
    if (isEmpty && !this.saidNoFiles) {
      log.warn(`${database}: no audit file matches ${glob.pattern ?? ''} in ${glob.folder}`);
    }
    this.saidNoFiles = isEmpty;
  }
}
