import { type Bookmark, doneBytes, isAtEnd } from '../bookmarks/bookmark';
import type { Clock } from '../clock';
import type { FollowedFile } from '../tail/followed-file';
import type { Spool } from './spool';

interface GuardOptions {
  readonly spool: Spool;
  /** The bookmark of a file, as it is on disk. */
  bookmarkOf(fileGuid: string): Bookmark | null;
  /** Copying begins when publishing has been held up for this time. */
  readonly afterMs: number;
  readonly clock: Clock;
}

/** Decides which files are copied to the spool and when, and which copies can go. */
export class SpoolGuard {
  /** Start times of the unfinished deliveries, the oldest first. */
  private readonly begunMs: number[] = [];

  constructor(private readonly options: GuardOptions) {}

  /** To be called with each delivery. They end in the order in which they begin. */
  delivering(delivery: Promise<unknown>): void {
    this.begunMs.push(this.options.clock.elapsed());
    const ended = () => this.begunMs.shift();
    delivery.then(ended, ended);
  }

  /**
   * While publishing is held up, copies the files that SQL Server may remove before they are published. Rollover removes
   * a file only if its audit continues in a newer one.
   * @param files all files, the oldest first, which is the next to be removed
   */
  async protect(files: readonly FollowedFile[], stop: AbortSignal): Promise<void> {
    const { afterMs, clock, spool } = this.options;
    const [oldestMs] = this.begunMs;
    if (oldestMs === undefined || clock.elapsed() - oldestMs < afterMs) return;
    const rolling = new Set(files.filter((file) => !file.isLast).map((file) => file.audit));
    for (const file of files) {
      if (stop.aborted) return;
      if (!rolling.has(file.audit) || this.isPublished(file)) continue;
      await spool.keep(file, stop);
      const { isComplete, length } = spool.stateOf(file.fileGuid);
      if (isComplete) file.settle(length);
    }
    // A copy could not be removed while it was being written, although its file was delivered meanwhile.
    await this.release();
  }

  /** Removes the copies whose files are acknowledged as a whole. To be called when bookmarks are saved. */
  async release(): Promise<void> {
    const { bookmarkOf, spool } = this.options;
    for (const fileGuid of spool.guids()) {
      const bookmark = bookmarkOf(fileGuid);
      const { isComplete, length } = spool.stateOf(fileGuid);
      if (bookmark === null) continue;
      // The copy may reach further than the file did when its bookmark was made. A mark for a lack of room stays until
      // the file is published nevertheless, or its loss is noted.
      const isNeeded = length > 0 ? doneBytes(bookmark) < length : !isAtEnd(bookmark) && !bookmark.isLost;
      if (isNeeded) continue;
      // Until the bookmark says that nothing can follow, only a complete copy tells that to a restarted agent.
      if (!isComplete || bookmark.mayGrow === undefined) await spool.release(fileGuid);
    }
  }

  private isPublished({ fileGuid, isLast, size }: FollowedFile): boolean {
    const bookmark = this.options.bookmarkOf(fileGuid);
    if (bookmark === null || !isAtEnd({ ...bookmark, size })) return false;
    // A restarted agent would take the removed file for lost, unless a copy shows that nothing followed.
    return isLast || bookmark.mayGrow === undefined;
  }
}
