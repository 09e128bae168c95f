import type { Clock } from '../clock';
import type { OpenGaps } from '../gaps/open-gaps';
import { errorText } from '../log';
import type { Problems } from '../problems';
import type { Spool } from '../spool/spool';
import { SpoolGuard } from '../spool/spool-guard';
import type { AuditFiles, FileNotes } from './audit-files';

export interface KeeperOptions {
  readonly files: AuditFiles;
  readonly gaps: OpenGaps;
  readonly spool: Spool;
  readonly checkpoint: FileNotes;
  readonly pollIntervalMs: number;
  readonly times: { readonly spoolAfterMs: number };
  readonly clock: Clock;
  readonly problems: Problems;
}

/** Looks after audit files that are not published yet, while the service keeps the agent waiting. */
export class FileKeeper {
  private readonly guard: SpoolGuard;

  constructor(private readonly options: KeeperOptions) {
    const { checkpoint, clock, spool, times } = options;
    const entryOf = (fileGuid: string) => checkpoint.entry(fileGuid);
    this.guard = new SpoolGuard({ clock, spool, entryOf, afterMs: times.spoolAfterMs });
  }

  /** To be told of each delivery of a batch. */
  delivering<T>(delivery: Promise<T>): Promise<T> {
    this.guard.delivering(delivery);
    return delivery;
  }

  /** Waits for a delivery while nobody takes batches from the tail, and looks at the files as often as the tail would. */
  async watchDuring<T>(delivery: Promise<T>, stop: AbortSignal): Promise<T> {
    const { clock, pollIntervalMs } = this.options;
    const delivered = new AbortController();
    const end = () => delivered.abort();
    delivery.then(end, end);
    const until = AbortSignal.any([stop, delivered.signal]);
    while (!until.aborted) {
      await clock.wait(pollIntervalMs, until);
      if (!until.aborted) await this.look(until);
    }
    return delivery;
  }

  /** Copies the files that may be removed too early. */
  protect(stop: AbortSignal): Promise<void> {
    return this.guard.protect(this.options.files.all, stop);
  }

  /** To be called when the checkpoint of a batch is saved. */
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
      // A disk that is full, say: it must not keep from publishing what can be published.
      problems.report('audit files', `cannot be looked after: ${errorText(error)}`);
    }
  }
}
