import { type CheckpointEntry, doneBytes, isAtEnd } from '../checkpoint/checkpoint-entry';
import type { Clock } from '../clock';
import type { FollowedFile } from '../tail/followed-file';
import type { Spool } from './spool';

export interface GuardOptions {
  readonly spool: Spool;
  /** How far a file is acknowledged, as it is noted on disk. */
  entryOf(fileGuid: string): CheckpointEntry | null;
  /** How long publishing must be held up before anything is copied. */
  readonly afterMs: number;
  readonly clock: Clock;
}

/** Decides which files are copied to the spool and when, and which copies are not needed any more. */
export class SpoolGuard {
  private deliveringSinceMs: number | null = null;

  constructor(private readonly options: GuardOptions) {}

  /** To be told of each delivery; they follow one another. */
  delivering(delivery: Promise<unknown>): void {
    this.deliveringSinceMs = this.options.clock.now();
    const ended = () => {
      this.deliveringSinceMs = null;
    };
    delivery.then(ended, ended);
  }

  /**
   * Copies what SQL Server may remove before it is published, where publishing is held up: the files of audits
   * that go on in newer files, since these are the ones that rollover removes.
   * @param files all files, the oldest first, which is the next to be removed
   */
  async protect(files: readonly FollowedFile[], stop: AbortSignal): Promise<void> {
    const { afterMs, clock, spool } = this.options;
    if (this.deliveringSinceMs === null || clock.now() - this.deliveringSinceMs < afterMs) return;
    const goingOn = new Set(files.filter((file) => !file.isLast).map((file) => file.audit));
    for (const file of files) {
      if (stop.aborted) return;
      if (!goingOn.has(file.audit) || this.isPublished(file)) continue;
      await spool.keep(file, stop);
      const { isComplete, length } = spool.stateOf(file.fileGuid);
      if (isComplete) file.settle(length);
    }
    // What was delivered meanwhile could not be removed while it was copied.
    await this.release();
  }

  /** Removes the copies of which everything is acknowledged. To be called when a checkpoint was saved. */
  async release(): Promise<void> {
    const { entryOf, spool } = this.options;
    for (const fileGuid of spool.guids()) {
      const entry = entryOf(fileGuid);
      const { isComplete, length } = spool.stateOf(fileGuid);
      if (entry === null) continue;
      // The copy may reach further than the file did when the entry was made. Where there is none for a lack of room,
      // that is told until the file is published nevertheless, or its loss is noted.
      if (length > 0 ? doneBytes(entry) < length : !isAtEnd(entry) && !entry.isLost) continue;
      // Until the entry says so, only a complete copy tells a restarted agent that nothing can follow.
      if (!isComplete || entry.mayGrow === undefined) await spool.release(fileGuid);
    }
  }

  private isPublished({ fileGuid, isLast, size }: FollowedFile): boolean {
    const entry = this.options.entryOf(fileGuid);
    if (entry === null || !isAtEnd({ ...entry, size })) return false;
    // A restarted agent would miss it when it is gone, unless a copy shows that nothing followed.
    return isLast || entry.mayGrow === undefined;
  }
}
