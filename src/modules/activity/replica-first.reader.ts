import type { Logger } from 'pino';
import { failureOf } from '../../database/failure';
import { isUnavailable } from '../../errors';
import type { AuditEventFilter, AuditEventQuery } from '../../event/query';
import type { Plan } from '../../store/plan';
import type { AuditEventReader, StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { TenantSet } from '../../tenant-set';

const CHECK_AGAIN_MS = 5_000;
/** A failure that took longer than this leaves no time for a second try before the caller's deadline. */
const SECOND_TRY_MS = 2_500;

type Verdict = 'answered' | 'conflict' | 'lost';

/**
 * Reads from a replica, and from the primary while the replica is lost. A replica may lag, so its answers are right for
 * an earlier moment. An absent record is therefore always looked up in the primary too.
 */
export class ReplicaFirstReader implements AuditEventReader {
  #ready: boolean;
  #checkAt = 0;

  /** @param parts.check tells whether the replica can be read; throws if it cannot be reached */
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
    if (parts.ready) this.#checkAt = this.#now() + CHECK_AGAIN_MS;
  }

  /** Whether reads go to the replica. It is looked for also where nobody reads. */
  get healthy(): boolean {
    this.#checkSoon();
    return this.#ready;
  }

  page(tenants: TenantSet, query: AuditEventQuery, plan?: Plan) {
    return this.#read((reader) => reader.page(tenants, query, plan));
  }

  summary(tenants: TenantSet, filter: AuditEventFilter, plan?: Plan) {
    return this.#read((reader) => reader.summary(tenants, filter, plan));
  }

  async find(tenants: TenantSet, recordId: string): Promise<StoredAuditEvent | null> {
    const found = await this.#read((reader) => reader.find(tenants, recordId));
    return found ?? this.parts.primary.find(tenants, recordId);
  }

  async #read<T>(ask: (reader: AuditEventReader) => Promise<T>): Promise<T> {
    const { replica, primary, log } = this.parts;
    this.#checkSoon();
    if (!this.#ready) return ask(primary);
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

  /** Runs in the background, so that no caller waits. A replica that was promoted answers, and is behind for ever. */
  #checkSoon(): void {
    if (this.#now() < this.#checkAt) return;
    this.#checkAt = Number.POSITIVE_INFINITY;
    this.parts
      .check()
      .then((ready) => {
        if (ready && !this.#ready) this.parts.log.info('reads go to the replica again');
        if (!ready && this.#ready)
          this.parts.log.warn('the replica does not follow DATABASE_URL any more; reads go to the primary');
        this.#ready = ready;
      })
      .catch(() => {})
      .finally(() => {
        this.#checkAt = this.#now() + CHECK_AGAIN_MS;
      });
  }

  #now(): number {
    return this.parts.now?.() ?? performance.now();
  }
}

function verdictOn(error: unknown): Verdict {
  switch (failureOf(error)) {
    // The replica cancelled the statement to continue its replay. Neither of them is at fault.
    case 'serialization_failure':
      return 'conflict';
    // A migration has not reached the replica.
    case 'undefined_table':
    case 'undefined_column':
      return 'lost';
    // The primary would need as long for this statement, and it also takes in events.
    case 'query_canceled':
      return 'answered';
    default:
      return isUnavailable(error) ? 'lost' : 'answered';
  }
}
