import type { Clock } from '../clock';
import type { Log } from '../log';
import type { SourceState } from '../source/audit-source';
import type { Hindrance } from '../tail/unread';
import type { DatabaseState, DatabaseStatus } from './database-status';
import { currentFileOf, type FileProgress } from './file-progress';

/** The state of a database that is being published, as its tail knows it. */
interface Publishing {
  files(): readonly FileProgress[];
  /** Files and folders that could not be read at the last attempt and may hold events. */
  unread(): readonly Hindrance[];
  /** Time of the last listing; null if there was none yet, or the folder cannot be listed. */
  listedAtMs(): number | null;
  /** Whether a shared folder was away at the last listing. */
  isAway(): boolean;
  pendingGaps(): number;
  /** Null for a folder. */
  source?(): SourceState | null;
}

/** Why the service takes no events. */
export type ServiceProblem = { readonly kind: 'waiting' | 'keyRefused'; readonly message: string };

const NO_FILES = 'no audit file matches AuditFilePath';

/** The activity on one database from the start of the agent to its end. Some facts come from earlier runs. */
export class DatabaseActivity {
  /** Why the service takes no events; null: it takes them. */
  serviceProblem: ServiceProblem | null = null;
  /** Why the agent itself stopped work on the database, which it will retry; null: it did not stop. */
  ownProblem: string | null = null;
  /** The version of the settings by which the service has switched it off; null: it has not. */
  offBy: number | null = null;
  private publishing: Publishing | null = null;
  private current: DatabaseStatus;
  private tallyBefore: PublishedCounts;

  constructor(
    readonly name: string,
    tenantId: string,
    private readonly clock: Clock,
    before: DatabaseStatus | null,
  ) {
    this.current = before ?? nothingYet(name, tenantId);
    this.tallyBefore = this.current.tally;
  }

  begin(publishing: Publishing): void {
    this.publishing = publishing;
    this.tallyBefore = this.current.tally;
    this.ownProblem = null;
    this.serviceProblem = null;
  }

  /** Forgets records that were read and not acknowledged, since they are read again. */
  end(): void {
    this.look();
    this.publishing = null;
    this.set({ waitingRecords: 0 });
  }

  read(count: number): void {
    this.set({ waitingRecords: this.current.waitingRecords + count });
  }

  /**
   * @param count records that are acknowledged or kept as dead letters
   * @param newest the newest event time of those that are acknowledged, ISO
   * @param tally since `begin`
   */
  acknowledged(count: number, newest: string | null, tally: PublishedCounts): void {
    const { current } = this;
    if (count === 0) return;
    const total = sumOf(this.tallyBefore, tally);
    this.set({
      waitingRecords: Math.max(0, current.waitingRecords - count),
      lastAcknowledgedAt: iso(this.clock.now()),
      lastEventTime: laterOf(current.lastEventTime, newest),
      unreportedCount: current.unreportedCount + publishedOf(total) - publishedOf(current.tally),
      tally: total,
    });
  }

  /** To be called when a report with this many events and gaps was acknowledged. */
  reported(count: number, gaps: number): void {
    const { unreportedCount, gaps: before } = this.current;
    this.set({
      unreportedCount: unreportedCount - count,
      gaps: { ...before, reported: before.reported + gaps },
    });
  }

  /** Whether the files were listed, so that there is something to report. */
  get hasLooked(): boolean {
    return this.publishing?.listedAtMs() != null;
  }

  status(): DatabaseStatus {
    this.look();
    return this.current;
  }

  /** A log that also keeps the last error for the status. */
  recording(log: Log): Log {
    return {
      info: (text) => log.info(text),
      warn: (text) => log.warn(text),
      error: (text) => {
        this.set({ lastError: { at: iso(this.clock.now()), text } });
        log.error(text);
      },
    };
  }

  private look(): void {
    const { publishing } = this;
    if (publishing !== null) {
      const files = publishing.files();
      const listedAtMs = publishing.listedAtMs();
      const unread = publishing.unread();
      const source = publishing.source?.() ?? null;
      const counted = [
        source?.waitingBytes ?? 0,
        ...files.map((file) => file.waitingBytes),
        ...unread.map(({ bytes }) => bytes),
      ].reduce((sum, bytes) => sum + bytes, 0);
      // Another host publishes what is left.
      const waitingBytes = publishing.isAway() ? 0 : counted;
      const file = currentFileOf(files);
      this.set({
        fileCount: files.length,
        file: file && { name: file.name, offset: file.offset, size: file.size },
        waitingBytes,
        gaps: { ...this.current.gaps, pending: publishing.pendingGaps() },
        store: source === null ? undefined : { requests: source.requests, bytes: source.bytes },
      });
      const isCaughtUp = waitingBytes === 0 && this.current.waitingRecords === 0 && files.length > 0;
      // A store is not asked at each look.
      const ofListing = source === null || listedAtMs === null ? listedAtMs : source.completeAtMs;
      if (isCaughtUp && unread.length === 0 && ofListing !== null) this.set({ caughtUpAt: iso(ofListing) });
    }
    this.set({ state: this.state(), problem: this.problem() });
  }

  private state(): DatabaseState {
    if (this.ownProblem !== null) return 'failed';
    if (this.offBy !== null) return 'off';
    if (this.serviceProblem !== null) return this.serviceProblem.kind;
    if (this.publishing?.isAway()) return 'standby';
    const { waitingBytes, waitingRecords } = this.current;
    return waitingBytes > 0 || waitingRecords > 0 ? 'publishing' : 'idle';
  }

  private problem(): string | null {
    if (this.ownProblem !== null) return this.ownProblem;
    if (this.offBy !== null) return offText(this.offBy);
    if (this.serviceProblem !== null) return this.serviceProblem.message;
    if (this.publishing === null || this.publishing.isAway()) return null;
    const { fileCount, lastError } = this.current;
    if (this.publishing.listedAtMs() === null) return lastError?.text ?? null;
    const [unread, ...others] = this.publishing.unread();
    if (unread)
      return `${unread.path}: ${unread.reason}${others.length > 0 ? `; and ${others.length} more` : ''}`;
    const told = this.publishing.source?.() ?? null;
    if (told !== null) return told.problem;
    return fileCount === 0 ? NO_FILES : null;
  }

  private set(changes: Partial<DatabaseStatus>): void {
    this.current = { ...this.current, ...changes };
  }
}

/** Why a database that the service has switched off is not published. */
export const offText = (version: number): string =>
  `switched off by the settings of the service (version ${version}): nothing of it is published`;

/** The facts of an earlier run's status that are still true. */
export const fromEarlierRun = (status: DatabaseStatus): DatabaseStatus => ({
  ...nothingYet(status.name, status.tenantId),
  lastAcknowledgedAt: status.lastAcknowledgedAt,
  lastEventTime: status.lastEventTime,
  caughtUpAt: status.caughtUpAt,
  unreportedCount: status.unreportedCount,
  gaps: status.gaps,
});

const nothingYet = (name: string, tenantId: string): DatabaseStatus => ({
  name,
  tenantId,
  state: 'idle',
  fileCount: 0,
  file: null,
  waitingBytes: 0,
  waitingRecords: 0,
  lastAcknowledgedAt: null,
  lastEventTime: null,
  caughtUpAt: null,
  unreportedCount: 0,
  gaps: { reported: 0, pending: 0 },
  tally: { accepted: 0, duplicates: 0, rejected: 0 },
  problem: null,
  lastError: null,
});

type PublishedCounts = DatabaseStatus['tally'];
const publishedOf = ({ accepted, duplicates }: PublishedCounts): number => accepted + duplicates;
const sumOf = (a: PublishedCounts, b: PublishedCounts): PublishedCounts => ({
  accepted: a.accepted + b.accepted,
  duplicates: a.duplicates + b.duplicates,
  rejected: a.rejected + b.rejected,
});
const iso = (ms: number): string => new Date(ms).toISOString();
const laterOf = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && b > a) ? b : a;
