import { createHash, randomBytes } from 'node:crypto';
import { SecretBox } from '../../../../src/delivery/secret-box';
import { FIELD_NAMES } from '../../../../src/event/fields';
import type {
  Change,
  DeliveryStore,
  Lease,
  Listed,
} from '../../../../src/modules/destinations/delivery-store';
import {
  type Destination,
  type DestinationKey,
  ownerOfSecrets,
  type SetAsideEvent,
} from '../../../../src/modules/destinations/destination';
import type { StoredSecrets } from '../../../../src/modules/destinations/types';
import type { ArrivalLimits, ArrivalReader } from '../../../../src/store/log/arrivals/arrival-reader';
import type { StoredAuditEvent } from '../../../../src/store/rows/audit-event-reader';

const BEGAN = new Date('2026-01-01T00:00:00Z');
const KEY: DestinationKey = { tenantId: 7, destinationId: '0b6fc3ab-2f2c-4c33-9d1b-3d5c4a0e8f11' };

/**
 * One destination and the log of its tenant in memory, as the instances of a service share them in the database. It
 * keeps each change that was saved.
 */
export class SharedDestination {
  readonly key = { id: 'a1b2c3d4', bytes: randomBytes(32) };
  readonly box = new SecretBox([this.key]);
  readonly changes: Change[] = [];
  readonly setAside: SetAsideEvent[] = [];
  row: Destination;
  dueMs = 0;
  isDeleted = false;
  /** Positions whose entry is no event: the service added it. */
  readonly others: number[] = [];
  /** Whether the disk is full: no position can be stored. */
  isFull = false;
  #lease: object | null = null;
  readonly #accepted: readonly (string | null)[];

  /** @param statements of the events in the log; null: retention has removed the event */
  constructor(
    readonly statements: (string | null)[],
    change: Partial<Destination> & { readonly open?: StoredSecrets } = {},
    private readonly nowMs: () => number = () => BEGAN.getTime(),
  ) {
    const { open = {}, ...rest } = change;
    this.#accepted = [...statements];
    this.row = {
      ...KEY,
      name: 'test',
      type: 'webhook',
      settings: {},
      filter: '',
      format: 'native',
      state: 'active',
      position: 0,
      generation: 0,
      batches: [],
      batchLimit: null,
      attempts: 0,
      goEpoch: null,
      createdAt: BEGAN,
      nextAttemptAt: null,
      lastError: null,
      lastErrorAt: null,
      lastSuccessAt: null,
      caughtUpAt: null,
      delivered: 0,
      failures: 0,
      setAside: 0,
      behindRetention: 0,
      overtakenAt: null,
      logSize: statements.length,
      secrets: this.box.seal(JSON.stringify(open), ownerOfSecrets(KEY)),
      ...rest,
    };
  }

  readonly store: Pick<DeliveryStore, 'list' | 'delete' | 'take' | 'putSecrets'> = {
    list: async () => (this.isDeleted ? [] : [this.#listed()]),
    delete: async () => {
      this.isDeleted = true;
    },
    putSecrets: async (_key, _old, sealed) => {
      this.row = { ...this.row, secrets: sealed };
    },
    take: async (_key, state = 'active') => {
      if (this.#lease || (state === 'active' && this.row.state !== 'active')) return null;
      return { lease: this.#newLease(), destination: this.row };
    },
  };

  readonly feed: Pick<ArrivalReader, 'read' | 'marks'> = {
    marks: async (positions) => new Map([...positions].map(([tenantId, to]) => [tenantId, this.markAt(to)])),
    read: async (
      tenantId: number,
      from: number,
      { positions, end = Number.MAX_SAFE_INTEGER }: ArrivalLimits,
    ) => {
      const size = this.statements.length;
      const next = Math.min(from + positions, end, size);
      const passed = this.statements.slice(from, next);
      const items = passed.flatMap((statement, i) =>
        statement === null
          ? []
          : [{ position: from + i, event: eventOf(from + i, statement), receivedAt: null }],
      );
      const others = this.others.filter((position) => position >= from && position < next);
      return {
        tenantId,
        from,
        next,
        size,
        items,
        removed: passed.length - items.length - others.length,
        others,
        skipped: 0,
        bytes: 0,
      };
    },
  };

  /** The hash of the entry before a position, which stays when its event is removed. */
  markAt(position: number): string {
    const statement = this.#accepted[position - 1];
    return createHash('sha256').update(`${position} ${statement}`).digest('hex');
  }

  /** As when another instance takes it over. */
  loseLease(): void {
    this.#lease = null;
  }

  #listed(): Listed {
    const isLeft = this.row.position < this.row.logSize || this.row.batches.length > 0;
    const isDue = this.row.state === 'active' && !this.#lease && this.dueMs <= this.nowMs() && isLeft;
    return { ...this.row, isDue };
  }

  #newLease(): Lease {
    const lease = {};
    this.#lease = lease;
    const hashOf = () => createHash('sha256').update(this.row.secrets).digest('hex');
    const hash = hashOf();
    const isHeld = () => this.#lease === lease;
    return {
      renew: async () => (isHeld() ? this.row.state : null),
      save: async (change) => (isHeld() ? this.#save(change) : null),
      release: async () => {
        if (isHeld()) this.#lease = null;
      },
      get hasOldSecrets() {
        return hashOf() !== hash;
      },
    };
  }

  #save(change: Change): Destination {
    if (this.isFull && change.position !== undefined) throw new Error('No space left on device');
    this.changes.push(change);
    this.setAside.push(...(change.setAside ?? []));
    this.dueMs = change.nextAttemptMs === undefined ? 0 : this.nowMs() + change.nextAttemptMs;
    const { row } = this;
    this.row = {
      ...row,
      position: change.position ?? row.position,
      batches: (change.batches ?? row.batches).map(({ from, to }) => ({ from, to })),
      batchLimit: change.batchLimit === undefined ? row.batchLimit : change.batchLimit,
      attempts: change.attempts ?? row.attempts,
      lastError: change.error ?? row.lastError,
      delivered: row.delivered + (change.delivered ?? 0),
      failures: row.failures + (change.failures ?? 0),
      setAside: row.setAside + (change.setAside?.length ?? 0),
      state: change.pauses ? 'paused' : row.state,
    };
    return this.row;
  }
}

const eventOf = (position: number, statement: string): StoredAuditEvent => ({
  ...(Object.fromEntries(FIELD_NAMES.map((name) => [name, null])) as unknown as StoredAuditEvent),
  recordId: `record ${position}`,
  tenantId: String(KEY.tenantId),
  actionId: 'SL',
  succeeded: true,
  eventTime: '2026-01-05T08:00:00.0000000Z',
  statement,
  additional: {},
});
