import type { ServiceDoor } from '../../database/clients';
import { isFailure } from '../../database/failure';
import { guarded } from '../../database/limited';
import { serviceUnavailable } from '../../errors';
import { CLOCK_MARK } from '../../event/audit-record';
import { newSalt } from '../../store/bytes/entry-salt';
import type { EventBytes } from '../../store/bytes/event-bytes';
import { COUNTED_COLUMNS } from '../../store/counts/dimensions';
import { BatchLeaves, LEAF_BYTES, type SealedBatch } from '../../store/log/evidence/batch-seal';
import type { CheckpointKey } from '../../store/log/evidence/note-key';
import { COLUMNS, ColumnArrays, NAMES } from '../../store/rows/event-columns';
import { hourOf } from '../../store/rows/event-rows';
import type { Partitions } from '../../store/rows/partitions';
import { oneTenant } from '../../tenant-set';
import { DistributedRows, noTenant } from './distributed-batch';
import { isOfEarlierWeeks, type Sealed, sealedOf } from './sealed-duplicates';

/** Port: stores events. */
export interface AuditEventWriter {
  /** Begins a set of events of a tenant that will be stored together. */
  open(tenantId: number): NewEvents;
}

export interface NewEvents {
  /** Writes the stored form of an event at once: the caller uses the object for its next event. */
  add(event: EventBytes): void;
  /**
   * Resolves after the commit. Must be called once, after the last event.
   * @returns the number of new events; the others were stored before, or occur twice in the set
   */
  store(): Promise<number>;
}

/**
 * In the select list and not in FROM, where each array would first be copied into a store of its own. That copy is a
 * tenth of the statement's time.
 */
const VALUES = COLUMNS.map(({ type, column }, i) => `unnest($${i + 2}::${type}[]) AS ${column}`).join(', ');

/** The parameters after the columns: the additions of the batch to the evidence log's queue. */
const SEAL = [2, 3, 4, 5].map((after) => `$${COLUMNS.length + after}`);

/**
 * One statement for each batch: it inserts new events, counts them, queues them for the evidence log, notes those with
 * a mark, and ignores known ones. It returns no row for an unknown tenant.
 */
const ROWS = `SELECT t.tenant_id, ${VALUES} FROM tenant t WHERE t.tenant_id = $1`;
const insert = ({ before, rows, column }: Guard) => `
WITH ${before}ins AS (
  INSERT INTO audit_event (tenant_id, ${NAMES})
  ${rows}
  ON CONFLICT DO NOTHING
  RETURNING record_id, ${COUNTED_COLUMNS}, succeeded, additional ? '${CLOCK_MARK}' AS is_marked),
delta AS (
  INSERT INTO audit_delta (tenant_id, hour, ${COUNTED_COLUMNS}, n, ok)
  SELECT t.tenant_id, ${hourOf('i.record_id')}, ${COUNTED_COLUMNS}, count(*), count(*) FILTER (WHERE i.succeeded)
  FROM tenant t CROSS JOIN ins i WHERE t.tenant_id = $1
  GROUP BY 1, 2, ${COUNTED_COLUMNS}),
logged AS (
  INSERT INTO audit_log_queue (tenant_id, batch_id, received_at, leaves, accepted, events, key_id, mac, refused)
  SELECT t.tenant_id, ${SEAL[0]}::uuid, statement_timestamp(), ${SEAL[1]}::bytea,
    CASE WHEN i.n * ${LEAF_BYTES} < octet_length(${SEAL[1]}::bytea) THEN i.ids END, i.n, ${SEAL[2]}::text,
    ${SEAL[3]}::bytea, false
  FROM tenant t CROSS JOIN (SELECT count(*)::int AS n, array_agg(record_id) AS ids FROM ins) i
  WHERE t.tenant_id = $1 AND i.n > 0),
marked AS (
  INSERT INTO audit_clock (tenant_id, record_id, received_at)
  SELECT t.tenant_id, i.record_id, statement_timestamp()
  FROM tenant t CROSS JOIN ins i WHERE t.tenant_id = $1 AND i.is_marked)
SELECT (SELECT count(*) FROM ins)::int AS n${column} FROM tenant t WHERE t.tenant_id = $1`;
const INSERT = insert({ before: '', rows: ROWS, column: '' });

/**
 * The same for events of weeks that may be sealed: nothing is stored if a week was sealed or restored since the list of
 * files was read. Whoever seals changes the generation first, and waits for this lock; this waits for it.
 */
const [GENERATION, KNOWN] = [6, 7].map((after) => `$${COLUMNS.length + after}`);
const IS_CURRENT = `coalesce((SELECT g.generation FROM guard g), 0) = ${GENERATION}::bigint`;
const INSERT_OLD = insert({
  before: `guard AS MATERIALIZED (
  SELECT a.generation FROM audit_archive a WHERE a.tenant_id = $1 FOR SHARE),
`,
  rows: `SELECT t.tenant_id, ${COLUMNS.map(({ column }) => `t.${column}`).join(', ')} FROM (${ROWS} AND ${IS_CURRENT}) t
  WHERE NOT t.record_id = ANY(string_to_array(${KNOWN}::text, ',')::uuid[])`,
  column: `, ${IS_CURRENT} AS is_current`,
});

interface Guard {
  readonly before: string;
  readonly rows: string;
  readonly column: string;
}

const INSERT_DEADLINE_MS = 20_000;
/** After a long pause, retention drops many weeks in turn, and each may be one of the batch's. */
const INSERT_ATTEMPTS = 5;

export class PostgresAuditEventWriter implements AuditEventWriter {
  /** The column buffers of stored batches. It is costly to allocate and free this much memory for every batch. */
  readonly #usedColumns: ColumnArrays[] = [];

  constructor(
    private readonly service: ServiceDoor,
    private readonly partitions: Partitions,
    private readonly checkpointKey: CheckpointKey,
    /** Whether the searchable text of ASCII is stored, too. */
    private readonly isTwice: () => boolean = () => false,
  ) {}

  open(tenantId: number): NewEvents {
    const { service } = this;
    const leaves = new BatchLeaves(tenantId);
    const isTwice = this.isTwice();
    const rows = service.isDistributed
      ? new DistributedRows(service, tenantId, isTwice)
      : new ArrayRows(service, { tenantId, isTwice, used: this.#usedColumns });
    return {
      add: (event) => {
        event.salt = newSalt();
        leaves.add(event);
        rows.add(event);
      },
      store: () => {
        const order = leaves.order();
        if (isOfEarlierWeeks(this.service, leaves))
          return guarded(() => this.#storeOld(tenantId, leaves, order, rows), INSERT_DEADLINE_MS);
        const insert = rows.ready(leaves.seal(this.checkpointKey, order), order);
        return guarded(() => this.#store(leaves, () => insert(null)) as Promise<number>, INSERT_DEADLINE_MS);
      },
    };
  }

  /** Stores events of weeks that may be sealed: those that lie in files are duplicates. */
  async #storeOld(
    tenantId: number,
    leaves: BatchLeaves,
    order: Uint32Array | null,
    rows: ArrayRows | DistributedRows,
  ): Promise<number> {
    const insert = rows.ready(leaves.seal(this.checkpointKey, order), order);
    for (let attempt = 1; attempt <= INSERT_ATTEMPTS; attempt++) {
      const sealed = await sealedOf(this.service, tenantId, leaves);
      const stored = await this.#store(leaves, () => insert(sealed));
      if (stored !== null) return stored;
    }
    throw serviceUnavailable(new Error('weeks of the batch were sealed or restored again and again'));
  }

  /** @returns null: a week was sealed or restored meanwhile, and nothing was stored */
  async #store(leaves: BatchLeaves, insert: () => Promise<number | null>): Promise<number | null> {
    for (let attempt = 1; ; attempt++) {
      await this.partitions.ensureFor(leaves.times());
      try {
        return await insert();
      } catch (error) {
        if (!isFailure(error, 'check_violation')) throw error;
        if (attempt === INSERT_ATTEMPTS) throw serviceUnavailable(error);
        this.partitions.forget();
      }
    }
  }
}

const USED_MAX = 3;
const USED_BYTES_MAX = 24 * 1024 * 1024;

/** The rows of a batch as arrays, one for each column. */
class ArrayRows {
  readonly #columns: ColumnArrays;

  constructor(
    private readonly service: ServiceDoor,
    private readonly batch: {
      readonly tenantId: number;
      readonly isTwice: boolean;
      readonly used: ColumnArrays[];
    },
  ) {
    this.#columns = batch.used.pop() ?? new ColumnArrays();
    this.#columns.clear();
  }

  add(event: EventBytes): void {
    this.#columns.add(event, this.batch.isTwice);
  }

  /** The parameters are made once for all attempts. */
  ready(
    { batchId, leaves, keyId, mac }: SealedBatch,
    order: Uint32Array | null,
  ): (sealed: Sealed | null) => Promise<number | null> {
    const { service } = this;
    const { tenantId, used } = this.batch;
    const values = [tenantId, ...this.#columns.parameters(order), batchId, leaves, keyId, mac];
    return async (sealed) => {
      const [statement, more] = sealed
        ? [INSERT_OLD, [String(sealed.generation), [...sealed.known].join()]]
        : [INSERT, []];
      const [row] = await service.run(statement, [...values, ...more], oneTenant(tenantId));
      if (row?.is_current === false) return null;
      // From here on the batch is stored: events, counts and hashes, by one statement. After a crash before, none of them
      // is; after one before the receipt, the agent sends the batch again, and its events are known as duplicates.
      // Reused only after a success. After a failure, a part of the buffers may still be on its way.
      if (used.length < USED_MAX && this.#columns.capacity < USED_BYTES_MAX) used.push(this.#columns);
      if (!row) throw noTenant(tenantId);
      return Number(row.n);
    };
  }
}
