import type { AccessEntry } from './access-entry';

export interface AccessFilter {
  /** Milliseconds since 1970, inclusive; null: from the beginning. */
  readonly fromMs: number | null;
  /** Exclusive. */
  readonly toMs: number | null;
  readonly keyId: string | null;
  readonly tenantId: number | null;
  readonly operation: string | null;
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
