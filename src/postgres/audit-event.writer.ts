import { AUDIT_EVENT_FIELDS, INGEST_FIELDS, SEARCHED_FIELDS, toSnakeCase } from '../audit-event/fields';
import { searchableText } from '../audit-event/search-terms';
import { serviceUnavailable, toDomainError } from '../errors';
import type { AuditEventWriter, CheckedEvent } from '../ingest/audit-event-writer';
import { DIMENSIONS } from './counts/dimensions';
import { hourOf } from './counts/scope';
import type { PrismaClient } from './database';
import { guarded, sqlStateOf } from './failure';
import type { Partitions } from './partitions';
import { toStored, toStoredJson } from './stored-text';

/** Row columns an event fills, with their types, in the order of the field table. The id holds the time. */
const COLUMNS: readonly (readonly [string, string])[] = [
  ['record_id', 'uuid'],
  ...INGEST_FIELDS.filter((name) => name !== 'eventTime').map(
    (name) => [toSnakeCase(name), AUDIT_EVENT_FIELDS[name].kind === 'boolean' ? 'bool' : 'text'] as const,
  ),
  ['additional', 'jsonb'],
  ['search_text', 'text'],
];
const NAMES = COLUMNS.map(([name]) => name).join(', ');

const COUNTED = DIMENSIONS.map(({ column }) => column).join(', ');

/**
 * One statement a batch: new events are inserted and counted, known ones ignored. It starts from the tenant's row, so that
 * it stays on one node of a distributed database, and answers no row at all for an unknown tenant.
 */
const INSERT = `
WITH ins AS (
  INSERT INTO audit_event (tenant_id, ${NAMES})
  SELECT t.tenant_id, ${COLUMNS.map(([name]) => `x.${name}`).join(', ')}
  FROM tenant t CROSS JOIN json_to_recordset($2::json) AS x(${COLUMNS.map((c) => c.join(' ')).join(', ')})
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
    private readonly prisma: PrismaClient,
    private readonly partitions: Partitions,
  ) {}

  insert(tenantId: number, events: readonly CheckedEvent[]): Promise<number> {
    // In one order everywhere: two instances that store the same events at once would otherwise deadlock.
    const ordered = events.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1));
    const rows = JSON.stringify(ordered.map(toRow));
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
    const [row] = await this.prisma.$queryRawUnsafe<{ n: number }[]>(INSERT, tenantId, rows);
    if (!row) throw toDomainError(new Error(`tenant ${tenantId} does not exist: nothing was stored`));
    return row.n;
  }
}

function toRow(event: CheckedEvent): Record<string, unknown> {
  const row: Record<string, unknown> = {
    record_id: event.recordId,
    additional: toStoredJson(event.additional),
  };
  for (const name of INGEST_FIELDS) {
    const value = event[name as keyof CheckedEvent];
    row[toSnakeCase(name)] = typeof value === 'boolean' ? value : toStored(String(value ?? ''));
  }
  const texts = SEARCHED_FIELDS.map((name) => String(event[name as keyof CheckedEvent] ?? ''));
  row.search_text = toStored(searchableText(texts.filter(Boolean)));
  return row;
}
