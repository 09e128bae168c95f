import { LIMITS } from '../limits';
import { type AccessEntry, entryOf, ownAttempt } from './access-entry';

export interface AccessFilter {
  /** Milliseconds since 1970, inclusive; null: from the beginning. */
  readonly fromMs: number | null;
  /** Exclusive. */
  readonly toMs: number | null;
  readonly keyId: string | null;
  readonly tenantId: number | null;
  readonly operation: string | null;
  /** `ok` or an error code; `refused`: any error code. */
  readonly outcome: string | null;
}

/** Port: where the access log is kept. Changes write their entries themselves, in their transactions. */
export interface AccessLogStore {
  /** Each entry is stored once, however often it is given. */
  append(entries: readonly AccessEntry[]): Promise<void>;
  /** Newest first. @param after an entry id; null: from the newest */
  newest(filter: AccessFilter, limit: number, after: string | null): Promise<readonly AccessEntry[]>;
  /** Removes some of the oldest entries of before, and says so in the log. @returns how many */
  removeBefore(ms: number, limit: number): Promise<number>;
}

/** Every outcome but `ok`. */
export const REFUSED = 'refused';

export const DROPPED = 'accessLogDropped';

/**
 * Entries on their way to the store: taking one delays no answer. While the store is away they wait, up to a bound;
 * what comes then is counted, and an entry says how many are missing.
 */
export class AccessLog {
  #waiting: AccessEntry[] = [];
  #dropped: { count: number; readonly first: Date; last: Date } | null = null;
  #lost = 0;
  #lostAt: Date | null = null;
  #flushing: Promise<number> | null = null;

  constructor(
    private readonly store: Pick<AccessLogStore, 'append'>,
    private readonly now: () => Date = () => new Date(),
  ) {}

  note(entry: AccessEntry): void {
    if (this.#waiting.length < LIMITS.accessLogWaitingMax) {
      this.#waiting.push(entry);
      return;
    }
    this.#dropped ??= { count: 0, first: entry.at, last: entry.at };
    this.#dropped.count += 1;
    this.#dropped.last = entry.at;
    this.#lost += 1;
    this.#lostAt = this.now();
  }

  /** Entries that found no room, since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** No entry was lost lately: an alert that asks now and then is to see it, though the database is long back. */
  get healthy(): boolean {
    return (
      this.#lostAt === null || this.now().getTime() - this.#lostAt.getTime() > LIMITS.accessLogLossShownMs
    );
  }

  /** Entries not stored yet, the missing ones among them. */
  get unwritten(): number {
    return this.#waiting.length + (this.#dropped?.count ?? 0);
  }

  /** Writes one batch. @returns how many entries still wait */
  flush(): Promise<number> {
    this.#flushing ??= this.#writeBatch().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  /** Writes all that wait. */
  async close(): Promise<void> {
    while ((await this.flush()) > 0);
  }

  async #writeBatch(): Promise<number> {
    this.#sayWhatIsMissing();
    const batch = this.#waiting.slice(0, LIMITS.accessLogBatchEntries);
    if (batch.length === 0) return 0;
    await this.store.append(batch);
    this.#waiting = this.#waiting.slice(batch.length);
    this.#sayWhatIsMissing();
    return this.#waiting.length;
  }

  /** Only where there is room: otherwise each batch that fails would add an entry. */
  #sayWhatIsMissing(): void {
    const dropped = this.#dropped;
    if (!dropped || this.#waiting.length >= LIMITS.accessLogWaitingMax) return;
    const { count, first, last } = dropped;
    const attempt = ownAttempt(DROPPED, this.now(), { count, first, last });
    this.#waiting.push(entryOf(attempt, { outcome: 'ok', rows: count }));
    this.#dropped = null;
  }
}
