import { type CheckpointEntry, isAtEnd } from '../checkpoint/checkpoint-entry';
import type { Clock } from '../clock';
import type { FollowedFile } from '../tail/followed-file';
import type { Spool } from './spool';

export interface GuardOptions {
  readonly spool: Spool;
  /** How far a file is acknowledged. */
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
  }

  /** Removes the copies of which everything is acknowledged. To be called when a checkpoint was saved. */
  async release(): Promise<void> {
    const { entryOf, spool } = this.options;
    for (const fileGuid of spool.guids()) {
      const entry = entryOf(fileGuid);
      if (entry === null || entry.acknowledged !== undefined) continue;
      const isDone = isAtEnd(entry) || entry.blockOffset >= spool.stateOf(fileGuid).length;
      if (isDone) await spool.release(fileGuid);
    }
  }

  private isPublished({ fileGuid, size }: FollowedFile): boolean {
    const entry = this.options.entryOf(fileGuid);
    return entry !== null && isAtEnd({ ...entry, size });
  }
}
