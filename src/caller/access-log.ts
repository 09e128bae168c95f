import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../errors';
import { LIMITS } from '../limits';
import { withKeysCut } from './key-format';

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
  /** A text that must be in the parameters, in any letter case, or the whole subject. */
  readonly search: string | null;
}

/** Entries, newest first. */
export interface NewestEntries {
  readonly entries: readonly AccessEntry[];
  /** The id of the last entry that was looked at, where a search ended before the beginning of the log; else null. */
  readonly lookedTo: string | null;
}

/** Port: the store of the access log. A change writes its own entry, in its transaction. */
export interface AccessLogStore {
  /** Each entry is stored once, however often it is given. */
  append(entries: readonly AccessEntry[]): Promise<void>;
  /** @param after an entry id; null: from the newest */
  newest(filter: AccessFilter, limit: number, after: string | null): Promise<NewestEntries>;
  /** Removes at most `limit` of the oldest entries before a time, and notes that in the log. @returns how many */
  removeBefore(ms: number, limit: number): Promise<number>;
}

/** Every outcome but `ok`. */
export const REFUSED = 'refused';

export const DROPPED = 'accessLogDropped';

/**
 * Queues entries for the store, so that noting one delays no answer. While the store is away, entries wait, up to a
 * bound. Further entries are dropped and counted, and a later entry states how many are missing.
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

  /** Entries that were dropped for lack of room since the start. */
  get lost(): number {
    return this.#lost;
  }

  /**
   * Whether no entry was lost lately. A loss is shown for a while after the database is back, so that an alert sees it.
   */
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

  /** Writes all waiting entries. */
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

  /** Adds the entry only when there is room: otherwise each batch that fails would add one. */
  #sayWhatIsMissing(): void {
    const dropped = this.#dropped;
    if (!dropped || this.#waiting.length >= LIMITS.accessLogWaitingMax) return;
    const { count, first, last } = dropped;
    const attempt = ownAttempt(DROPPED, this.now(), { count, first, last });
    this.#waiting.push(entryOf(attempt, { outcome: 'ok', rows: count }));
    this.#dropped = null;
  }
}

/** An action that somebody starts: an entry of the access log without its outcome. */
export interface Attempt {
  readonly at: Date;
  /** public, agent or operator; service: the service itself. */
  readonly principalKind: string;
  readonly keyId: string | null;
  readonly keyName: string | null;
  /** The person who had signed in; null: a key alone was used. */
  readonly userName: string | null;
  /** rest, graphql, dashboard or service; command: a command that works on the database, past the service. */
  readonly entrance: string;
  /** Name of the root field. An action that is no root field has a name of its own. */
  readonly operation: string;
  /** JSON, see `parametersText`. */
  readonly parameters: string;
  /** The tenants that the principal acts for, or has named. */
  readonly tenantIds: readonly number[];
  readonly requestId: string;
  readonly address: string;
}

export interface Result {
  readonly outcome: 'ok' | ErrorCode;
  /** Objects returned or changed; null: none, because the call was refused or failed. */
  readonly rows: number | null;
  /** Id of the key or tenant that was made or changed. */
  readonly subject?: string;
  /** The tenants concerned, when they are known better than at the start. */
  readonly tenantIds?: readonly number[];
}

export interface AccessEntry extends Attempt {
  /** A version 7 UUID. It begins with the time, so that entries sort by time. */
  readonly entryId: string;
  readonly outcome: Result['outcome'];
  readonly rows: number | null;
  readonly subject: string | null;
}

/** Copies field by field: every read makes an entry, and spreading would take most of the time. */
export const entryOf = (attempt: Attempt, result: Result): AccessEntry => ({
  entryId: entryIdAt(attempt.at.getTime()),
  at: attempt.at,
  principalKind: attempt.principalKind,
  keyId: attempt.keyId,
  keyName: attempt.keyName,
  userName: attempt.userName,
  entrance: attempt.entrance,
  operation: attempt.operation,
  parameters: attempt.parameters,
  subject: result.subject ?? null,
  tenantIds: result.tenantIds ?? attempt.tenantIds,
  rows: result.rows,
  outcome: result.outcome,
  requestId: attempt.requestId,
  address: attempt.address,
});

/** The entry of a successful change. It is written in the transaction of the change. */
export const changeOf = (attempt: Attempt, result: Omit<Result, 'outcome' | 'rows'> & { rows?: number }) =>
  entryOf(attempt, { rows: 1, ...result, outcome: 'ok' });

/** Something the service does by itself. */
export const ownAttempt = (operation: string, at: Date, parameters: object = {}): Attempt => ({
  at,
  principalKind: 'service',
  keyId: null,
  keyName: null,
  userName: null,
  entrance: 'service',
  operation,
  parameters: parametersText(parameters),
  tenantIds: [],
  requestId: randomUUID(),
  address: '',
});

const UNSTORABLE = /\p{Cc}|\p{Cs}/gu;
/** A name from outside, cut to length, with characters that a database does not store replaced. */
export const storableName = (text: string): string =>
  text.slice(0, LIMITS.nameCharsMax).replace(UNSTORABLE, '\uFFFD');

/**
 * The given parameters as JSON. A key that was given as another parameter is not kept. A longer JSON becomes
 * `{"cut": "<how the JSON begins>"}`. JSON escapes control characters and half surrogate pairs, so any text can be
 * stored.
 */
export function parametersText(given: object): string {
  const text = withKeysCut(JSON.stringify(stated(given)));
  const max = LIMITS.accessLogParametersCharsMax;
  return text.length <= max ? text : JSON.stringify({ cut: text.slice(0, max) });
}

/** Leaves out null, which is rare and means the same as undefined. JSON leaves out undefined values itself. */
const stated = (given: object): object =>
  Object.values(given).includes(null)
    ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
    : given;

/** A new entry id of a time. */
export function entryIdAt(ms: number): string {
  const time = hexOf(ms);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** The smallest entry id of a time. Entries of earlier times have smaller ids. */
export function entryIdFloor(ms: number): string {
  const time = hexOf(Math.max(0, ms));
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

const hexOf = (ms: number) => ms.toString(16).padStart(12, '0');
