import { AUDIT_EVENT_FIELDS, INGEST_FIELDS, SEARCHED_FIELDS, toSnakeCase } from '../audit-event/fields';
import { searchableRoom, searchableText, writeSearchable } from '../audit-event/search-terms';
import { serviceUnavailable, toDomainError } from '../errors';
import { LEAF_BYTES, sealBatch } from '../evidence/batch-seal';
import type { CheckpointKey } from '../evidence/note-key';
import type { AuditEventWriter } from '../ingest/audit-event-writer';
import { additionalJsonOf, type CheckedEvent, type CheckedRecord } from '../ingest/checked-event';
import { BinaryArrays } from './binary-arrays';
import { DIMENSIONS } from './counts/dimensions';
import { hourOf } from './counts/scope';
import type { RunStatement } from './database';
import { guarded, sqlStateOf } from './failure';
import type { Partitions } from './partitions';
import { toStored, toStoredJson } from './stored-text';

interface Column {
  readonly column: string;
  readonly type: 'uuid' | 'text' | 'bool' | 'jsonb';
  write(to: BinaryArrays, event: CheckedEvent): void;
}

/** Columns an event fills, in the order of the field table; the id holds the time. */
const COLUMNS: readonly Column[] = [
  { column: 'record_id', type: 'uuid', write: (to, { recordId }) => to.uuid(recordId) },
  ...INGEST_FIELDS.filter((name) => name !== 'eventTime').map(fieldColumn),
  {
    column: 'additional',
    type: 'jsonb',
    write: (to, { record, stated }) => to.json(toStoredJson(additionalJsonOf(record, stated))),
  },
  { column: 'search_text', type: 'text', write: writeSearchText },
];
const NAMES = COLUMNS.map(({ column }) => column).join(', ');
/** In the select list, not in FROM, where each array would be copied into a store of its own first: a tenth of the statement. */
const VALUES = COLUMNS.map(({ type }, i) => `unnest($${i + 2}::${type}[])`).join(', ');

const COUNTED = DIMENSIONS.map(({ column }) => column).join(', ');

/** Parameters after the columns: what the batch adds to the evidence log. */
const SEAL = [2, 3, 4, 5].map((after) => `$${COLUMNS.length + after}`);

/**
 * One statement a batch: new events are inserted, counted and handed to the evidence log, known ones ignored. It starts
 * from the tenant's row, so that it stays on one node of a distributed database, and answers no row at all for an unknown
 * tenant.
 */
const INSERT = `
WITH ins AS (
  INSERT INTO audit_event (tenant_id, ${NAMES})
  SELECT t.tenant_id, ${VALUES} FROM tenant t WHERE t.tenant_id = $1
  ON CONFLICT DO NOTHING
  RETURNING record_id, ${COUNTED}, succeeded),
delta AS (
  INSERT INTO audit_delta (tenant_id, hour, ${COUNTED}, n, ok)
  SELECT t.tenant_id, ${hourOf('i.record_id')}, ${COUNTED}, count(*), count(*) FILTER (WHERE i.succeeded)
  FROM tenant t CROSS JOIN ins i WHERE t.tenant_id = $1
  GROUP BY 1, 2, ${COUNTED}),
logged AS (
  INSERT INTO audit_log_queue (tenant_id, batch_id, received_at, leaves, accepted, events, key_id, mac, refused)
  SELECT t.tenant_id, ${SEAL[0]}::uuid, clock_timestamp(), ${SEAL[1]}::bytea,
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
  constructor(
    private readonly run: RunStatement,
    private readonly partitions: Partitions,
    private readonly checkpointKey: CheckpointKey,
  ) {}

  insert(tenantId: number, events: readonly CheckedEvent[]): Promise<number> {
    // In one order everywhere: two instances that store the same events at once would otherwise deadlock.
    const ordered = events.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1));
    const arrays = new BinaryArrays(ordered.length * EVENT_BYTES);
    const columns = COLUMNS.map(({ type, write }) =>
      arrays.column(type, ordered.length, (i) => write(arrays, ordered[i] as CheckedEvent)),
    );
    const { batchId, leaves, keyId, mac } = sealBatch(this.checkpointKey, tenantId, ordered);
    const values = [tenantId, ...columns, batchId, leaves, keyId, mac];
    return guarded(async () => {
      const ids = events.map((event) => event.recordId);
      for (let attempt = 1; ; attempt++) {
        await this.partitions.ensureFor(ids);
        try {
          return await this.#insert(tenantId, values);
        } catch (error) {
          if (sqlStateOf(error) !== CHECK_VIOLATION) throw error;
          if (attempt === INSERT_ATTEMPTS) throw serviceUnavailable(error);
          this.partitions.forget();
        }
      }
    }, INSERT_DEADLINE_MS);
  }

  async #insert(tenantId: number, values: readonly unknown[]): Promise<number> {
    const [row] = await this.run(INSERT, values, [tenantId]);
    if (!row) throw toDomainError(new Error(`tenant ${tenantId} does not exist: nothing was stored`));
    return Number(row.n);
  }
}

function fieldColumn(name: (typeof INGEST_FIELDS)[number]): Column {
  const column = toSnakeCase(name);
  const key = name as keyof CheckedRecord;
  return AUDIT_EVENT_FIELDS[name].kind === 'boolean'
    ? { column, type: 'bool', write: (to, { record }) => to.bool(record[key] === true) }
    : { column, type: 'text', write: (to, { record }) => writeText(to, (record[key] ?? '') as string) };
}

function writeText(to: BinaryArrays, text: string): void {
  if (!to.asciiText(text)) to.text(toStored(text));
}

const SEARCHED = SEARCHED_FIELDS as readonly (keyof CheckedRecord)[];

function writeSearchText(to: BinaryArrays, { record }: CheckedEvent): void {
  const texts: string[] = [];
  for (const name of SEARCHED) {
    const value = record[name];
    if (typeof value === 'string' && value !== '') texts.push(value);
  }
  const isWritten = to.ascii(searchableRoom(texts), (target, at) => writeSearchable(texts, target, at));
  if (!isWritten) to.text(toStored(searchableText(texts)));
}
