import { BinaryArrays } from '../../database/binary-arrays';
import type { RunStatement, RunSteps } from '../../database/clients';
import { guarded, sqlStateOf } from '../../database/failure';
import { serviceUnavailable } from '../../errors';
import type { CheckedEvent } from '../../trail/checked-event';
import { COUNTED_COLUMNS } from '../../trail/counts/dimensions';
import { hourOf } from '../../trail/counts/scope';
import { COLUMNS, NAMES } from '../../trail/event-columns';
import { LEAF_BYTES, sealBatch } from '../../trail/evidence/batch-seal';
import type { CheckpointKey } from '../../trail/evidence/note-key';
import type { Partitions } from '../../trail/partitions';
import { type Batch, listsOf, noTenant, storeBySteps } from './distributed-batch';

/** Port: how events are stored. Resolves after the commit. */
export interface AuditEventWriter {
  /** @returns how many of the events were new; the others were stored before, or stand twice in the batch */
  insert(tenantId: number, events: readonly CheckedEvent[]): Promise<number>;
}

/** In the select list, not in FROM, where each array would be copied into a store of its own first: a tenth of the statement. */
const VALUES = COLUMNS.map(({ type }, i) => `unnest($${i + 2}::${type}[])`).join(', ');

/** Parameters after the columns: what the batch adds to the evidence log. */
const SEAL = [2, 3, 4, 5].map((after) => `$${COLUMNS.length + after}`);

/**
 * One statement a batch: new events are inserted, counted and handed to the evidence log, known ones ignored. It answers
 * no row at all for an unknown tenant.
 */
const INSERT = `
WITH ins AS (
  INSERT INTO audit_event (tenant_id, ${NAMES})
  SELECT t.tenant_id, ${VALUES} FROM tenant t WHERE t.tenant_id = $1
  ON CONFLICT DO NOTHING
  RETURNING record_id, ${COUNTED_COLUMNS}, succeeded),
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
  WHERE t.tenant_id = $1 AND i.n > 0)
SELECT (SELECT count(*) FROM ins)::int AS n FROM tenant t WHERE t.tenant_id = $1`;

/** "no partition of relation found for row", among other failed checks. */
const CHECK_VIOLATION = '23514';
/** What an event takes in all columns, as a first guess. */
const EVENT_BYTES = 1_200;
const INSERT_DEADLINE_MS = 20_000;
/** Retention that starts after a long time drops week after week, and each may be one of the batch's. */
const INSERT_ATTEMPTS = 5;

export class PostgresAuditEventWriter implements AuditEventWriter {
  /** @param steps given where the tables are distributed: a batch then goes step by step */
  constructor(
    private readonly run: RunStatement,
    private readonly partitions: Partitions,
    private readonly checkpointKey: CheckpointKey,
    private readonly steps: RunSteps | null = null,
  ) {}

  insert(tenantId: number, events: readonly CheckedEvent[]): Promise<number> {
    // In one order everywhere: two instances that store the same events at once would otherwise deadlock.
    const ordered = events.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1));
    const seal = sealBatch(this.checkpointKey, tenantId, ordered);
    const store = this.#storing({ tenantId, events: ordered, seal });
    return guarded(async () => {
      const ids = events.map((event) => event.recordId);
      for (let attempt = 1; ; attempt++) {
        await this.partitions.ensureFor(ids);
        try {
          return await store();
        } catch (error) {
          if (sqlStateOf(error) !== CHECK_VIOLATION) throw error;
          if (attempt === INSERT_ATTEMPTS) throw serviceUnavailable(error);
          this.partitions.forget();
        }
      }
    }, INSERT_DEADLINE_MS);
  }

  /** What is sent is made once, however often it is tried. */
  #storing(batch: Batch): () => Promise<number> {
    const { steps } = this;
    if (steps) {
      const lists = listsOf(batch.events);
      return () => storeBySteps(steps, batch, lists);
    }
    const { tenantId, events, seal } = batch;
    const arrays = new BinaryArrays(events.length * EVENT_BYTES);
    const columns = COLUMNS.map(({ type, write }) =>
      arrays.column(type, events.length, (i) => write(arrays, events[i] as CheckedEvent)),
    );
    const values = [tenantId, ...columns, seal.batchId, seal.leaves, seal.keyId, seal.mac];
    return async () => {
      const [row] = await this.run(INSERT, values, [tenantId]);
      if (!row) throw noTenant(tenantId);
      return Number(row.n);
    };
  }
}
