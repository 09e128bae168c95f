import { AUDIT_EVENT_FIELDS, INGEST_FIELDS, SEARCHED_FIELDS, toSnakeCase } from '../audit-event/fields';
import { searchableText } from '../audit-event/search-terms';
import { serviceUnavailable, toDomainError } from '../errors';
import type { AuditEventWriter, CheckedEvent } from '../ingest/audit-event-writer';
import { DIMENSIONS } from './counts/dimensions';
import { hourOf } from './counts/scope';
import type { RunStatement } from './database';
import { guarded, sqlStateOf } from './failure';
import type { Partitions } from './partitions';
import { toStored, toStoredJson } from './stored-text';

/**
 * Columns an event fills and their types, in the order of the field table; the id holds the time. On the way they
 * are called c0, c1 …: names repeated in every row would be a quarter of what is sent.
 */
const FIELDS = INGEST_FIELDS.filter((name) => name !== 'eventTime').map((name, i) => ({
  name: name as keyof CheckedEvent,
  column: toSnakeCase(name),
  type: AUDIT_EVENT_FIELDS[name].kind === 'boolean' ? 'bool' : 'text',
  key: `c${i}`,
}));
const COLUMNS = [
  { column: 'record_id', type: 'uuid', key: 'id' },
  ...FIELDS,
  { column: 'additional', type: 'jsonb', key: 'additional' },
  { column: 'search_text', type: 'text', key: 'search' },
];
const NAMES = COLUMNS.map(({ column }) => column).join(', ');
const KEYS = COLUMNS.map(({ key }) => `x.${key}`).join(', ');
const TYPES = COLUMNS.map(({ key, type }) => `${key} ${type}`).join(', ');

const COUNTED = DIMENSIONS.map(({ column }) => column).join(', ');

/**
 * One statement a batch: new events are inserted and counted, known ones ignored. It starts from the tenant's row, so that
 * it stays on one node of a distributed database, and answers no row at all for an unknown tenant.
 */
const INSERT = `
WITH ins AS (
  INSERT INTO audit_event (tenant_id, ${NAMES})
  SELECT t.tenant_id, ${KEYS}
  FROM tenant t CROSS JOIN json_to_recordset($2::json) AS x(${TYPES})
  WHERE t.tenant_id = $1
  ON CONFLICT DO NOTHING
  RETURNING record_id, ${COUNTED}, succeeded),
delta AS (
  INSERT INTO audit_delta (tenant_id, hour, ${COUNTED}, n, ok)
  SELECT t.tenant_id, ${hourOf('i.record_id')}, ${COUNTED}, count(*), count(*) FILTER (WHERE i.succeeded)
  FROM tenant t CROSS JOIN ins i WHERE t.tenant_id = $1
  GROUP BY 1, 2, ${COUNTED})
SELECT (SELECT count(*) FROM ins)::int AS n FROM tenant t WHERE t.tenant_id = $1`;

/** "no partition of relation found for row", among other failed checks. */
const CHECK_VIOLATION = '23514';
const INSERT_DEADLINE_MS = 20_000;
/** Retention that starts after a long time drops week after week, and each may be one of the batch's. */
const INSERT_ATTEMPTS = 5;

export class PostgresAuditEventWriter implements AuditEventWriter {
  constructor(
    private readonly run: RunStatement,
    private readonly partitions: Partitions,
  ) {}

  insert(tenantId: number, events: readonly CheckedEvent[]): Promise<number> {
    // In one order everywhere: two instances that store the same events at once would otherwise deadlock.
    const ordered = events.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1));
    // Row by row: each row's objects are gone again when the next one is made.
    const rows = `[${ordered.map((event) => JSON.stringify(toRow(event))).join(',')}]`;
    return guarded(async () => {
      const ids = events.map((event) => event.recordId);
      for (let attempt = 1; ; attempt++) {
        await this.partitions.ensureFor(ids);
        try {
          return await this.#insert(tenantId, rows);
        } catch (error) {
          if (sqlStateOf(error) !== CHECK_VIOLATION) throw error;
          if (attempt === INSERT_ATTEMPTS) throw serviceUnavailable(error);
          this.partitions.forget();
        }
      }
    }, INSERT_DEADLINE_MS);
  }

  async #insert(tenantId: number, rows: string): Promise<number> {
    const [row] = await this.run(INSERT, [tenantId, rows]);
    if (!row) throw toDomainError(new Error(`tenant ${tenantId} does not exist: nothing was stored`));
    return Number(row.n);
  }
}

const SEARCHED = SEARCHED_FIELDS as readonly (keyof CheckedEvent)[];

function toRow(event: CheckedEvent): Record<string, unknown> {
  const row: Record<string, unknown> = { id: event.recordId };
  for (const { name, key } of FIELDS) {
    const value = event[name];
    row[key] = typeof value === 'string' ? toStored(value) : (value ?? '');
  }
  row.additional = toStoredJson(event.additional);
  const texts: string[] = [];
  for (const name of SEARCHED) {
    const value = event[name];
    if (typeof value === 'string') texts.push(value);
  }
  row.search = toStored(searchableText(texts));
  return row;
}
