import type { Logger } from 'pino';
import type { TenantSet } from '../../caller/tenant-set';
import { sqlStateOf } from '../../database/failure';
import { isUnavailable } from '../../errors';
import type { AuditEventFilter, AuditEventQuery } from '../../event/query';
import type { AuditEventReader, StoredAuditEvent } from '../../trail/audit-event-reader';

const STATEMENT_TIMEOUT = '57014';
/** The replica cancelled the statement to go on replaying: it is well, and the question is not its fault. */
const RECOVERY_CONFLICT = '40001';
/** Undefined table or column: a migration has not reached the replica. */
const SCHEMA_BEHIND = /^42(?:P01|703)$/;
const CHECK_AGAIN_MS = 5_000;
/** A failure that took longer leaves no time to ask again before the caller's own deadline. */
const SECOND_TRY_MS = 2_500;

type Verdict = 'answered' | 'conflict' | 'lost';

/**
 * Reads from a replica, and from the primary while the replica is lost. A replica may trail: its answers are right
 * for a moment that has passed. "No such record" is never said on its word alone.
 */
export class ReplicaFirstReader implements AuditEventReader {
  #ready: boolean;
  #checkAt = 0;

  /** @param parts.check whether the replica can be read; throws when it cannot be reached */
  constructor(
    private readonly parts: {
      readonly replica: AuditEventReader;
      readonly primary: AuditEventReader;
      readonly check: () => Promise<boolean>;
      readonly ready: boolean;
      readonly log: Logger;
      readonly now?: () => number;
    },
  ) {
    this.#ready = parts.ready;
  }

  /** Whether reads go to the replica. */
  get healthy(): boolean {
    return this.#ready;
  }

  page(tenants: TenantSet, query: AuditEventQuery) {
    return this.#read((reader) => reader.page(tenants, query));
  }

  summary(tenants: TenantSet, filter: AuditEventFilter) {
    return this.#read((reader) => reader.summary(tenants, filter));
  }

  async find(tenants: TenantSet, recordId: string): Promise<StoredAuditEvent | null> {
    const found = await this.#read((reader) => reader.find(tenants, recordId));
    return found ?? this.parts.primary.find(tenants, recordId);
  }

  async #read<T>(ask: (reader: AuditEventReader) => Promise<T>): Promise<T> {
    const { replica, primary, log } = this.parts;
    if (!this.#ready) {
      this.#checkSoon();
      return ask(primary);
    }
    const start = this.#now();
    try {
      return await ask(replica);
    } catch (error) {
      const verdict = verdictOn(error);
      if (verdict === 'answered') throw error;
      if (verdict === 'lost' && this.#ready) {
        this.#ready = false;
        this.#checkAt = this.#now() + CHECK_AGAIN_MS;
        log.warn({ err: error }, 'the replica is lost; reads go to the primary');
      }
      if (this.#now() - start > SECOND_TRY_MS) throw error;
      return ask(primary);
    }
  }

  /** In the background: no caller waits for a lost replica. */
  #checkSoon(): void {
    if (this.#now() < this.#checkAt) return;
    this.#checkAt = Number.POSITIVE_INFINITY;
    this.parts
      .check()
      .then((ready) => {
        this.#ready = ready;
        if (ready) this.parts.log.info('reads go to the replica again');
      })
      .catch(() => {})
      .finally(() => {
        this.#checkAt = this.#now() + CHECK_AGAIN_MS;
      });
  }

  #now(): number {
    return (this.parts.now ?? Date.now)();
  }
}

function verdictOn(error: unknown): Verdict {
  const state = sqlStateOf(error);
  if (state === RECOVERY_CONFLICT) return 'conflict';
  if (state !== null && SCHEMA_BEHIND.test(state)) return 'lost';
  // A statement that took too long would take the primary as long, which has to take in events.
  return isUnavailable(error) && state !== STATEMENT_TIMEOUT ? 'lost' : 'answered';
}
