import type { Clock } from '../clock';
import type { OpenGaps } from '../gaps/open-gaps';
import { errorText } from '../log';
import type { Problems } from '../problems';
import type { Spool } from '../spool/spool';
import { SpoolGuard } from '../spool/spool-guard';
import type { AuditFiles, FileBookmarks } from './audit-files';

interface KeeperOptions {
  readonly files: AuditFiles;
  readonly gaps: OpenGaps;
  readonly spool: Spool;
  readonly bookmarks: FileBookmarks;
  readonly pollIntervalMs: number;
  readonly times: { readonly spoolAfterMs: number };
  readonly clock: Clock;
  readonly problems: Problems;
}

/** Protects audit files that are not published yet while the service keeps the agent waiting. */
export class FileKeeper {
  private readonly guard: SpoolGuard;

  constructor(private readonly options: KeeperOptions) {
    const { bookmarks, clock, spool, times } = options;
    const bookmarkOf = (fileGuid: string) => bookmarks.of(fileGuid);
    this.guard = new SpoolGuard({ clock, spool, bookmarkOf, afterMs: times.spoolAfterMs });
  }

  /** To be called with each delivery of a batch. */
  delivering<T>(delivery: Promise<T>): Promise<T> {
    this.guard.delivering(delivery);
    return delivery;
  }

  /** Waits for a delivery. The tail does not run meanwhile, so this looks at the files as often as the tail would. */
  async watchDuring<T>(delivery: Promise<T>, stop: AbortSignal): Promise<T> {
    const { clock, pollIntervalMs } = this.options;
    // `AbortSignal.any` would keep a reference to each delivery at `stop` for as long as the agent runs.
    const over = new AbortController();
    const end = () => over.abort();
    delivery.then(end, end);
    stop.addEventListener('abort', end, { once: true });
    if (stop.aborted) end();
    try {
      while (!over.signal.aborted) {
        await clock.wait(pollIntervalMs, over.signal);
        if (!over.signal.aborted) await this.look(over.signal);
      }
    } finally {
      stop.removeEventListener('abort', end);
    }
    return delivery;
  }

  /** Copies the files that SQL Server may remove before they are published. */
  protect(stop: AbortSignal): Promise<void> {
    return this.guard.protect(this.options.files.all, stop);
  }

  /** To be called when the bookmarks of a batch are saved. */
  saved(): Promise<void> {
    return this.guard.release();
  }

  private async look(stop: AbortSignal): Promise<void> {
    const { files, gaps, problems } = this.options;
    try {
      if (!(await files.look())) return;
      await this.protect(stop);
      await gaps.flush();
    } catch (error) {
      // The disk may be full, for example. Publishing continues all the same.
      problems.report(
        'audit files',
        `cannot be copied to the spool or checked for losses: ${errorText(error)}`,
      );
    }
  }
}
