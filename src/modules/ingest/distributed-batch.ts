import type { ServiceDoor } from '../../database/clients';
import { toDomainError } from '../../errors';
import { CLOCK_MARK } from '../../event/audit-record';
import { HOUR_MS } from '../../event/event-time';
import { idBytes } from '../../event/record-id';
import type { CheckedEvent } from '../../store/bytes/checked-event';
import type { EventBytes } from '../../store/bytes/event-bytes';
import { COUNTED, COUNTED_COLUMNS } from '../../store/counts/dimensions';
import { LEAF_BYTES, type SealedBatch } from '../../store/log/evidence/batch-seal';
import { COLUMNS, NAMES } from '../../store/rows/event-columns';
import { toStored } from '../../store/rows/stored-text';
import { oneTenant } from '../../tenant-set';
import type { Sealed } from './sealed-duplicates';

/**
 * Precedes each value of a column. No stored text contains it (`stored-text.ts`). The part before the first mark is
 * dropped.
 */
const MARK = 0x10f802;
const MARK_TEXT = String.fromCodePoint(MARK);

/**
 * Each statement starts from the tenant's row and does one thing. The coordinator of a distributed database then passes
 * it to the tenant's node unchanged, while it collects each result of a statement that does several things. A column is
 * one text, which the coordinator also passes on unchanged, while it would rewrite each value of an array. It would
 * even split the text, for nothing, if the mark were known without the tenant's row.
 */
const list = (parameter: number, type: string) =>
  `unnest((string_to_array($${parameter}, chr(${MARK} + 0 * t.tenant_id)))[2:]${type === 'text' ? '' : `::${type}[]`})`;
const INSERT = `
INSERT INTO audit_event (tenant_id, ${NAMES})
SELECT t.tenant_id, ${COLUMNS.map(({ type }, i) => list(i + 2, type)).join(', ')} FROM tenant t WHERE t.tenant_id = $1::int
ON CONFLICT DO NOTHING RETURNING record_id::text`;

/** The types of an hour, the counted columns, and the numbers of events and succeeded events. */
const COUNT_TYPES = ['int', ...COUNTED.map(() => 'text'), 'int', 'int'];
const COUNT = `
INSERT INTO audit_delta (tenant_id, hour, ${COUNTED_COLUMNS}, n, ok)
SELECT t.tenant_id, ${COUNT_TYPES.map((type, i) => `unnest($${i + 2}::${type}[])`).join(', ')}
FROM tenant t WHERE t.tenant_id = $1::int`;

const LOG = `
INSERT INTO audit_log_queue (tenant_id, batch_id, received_at, leaves, accepted, events, key_id, mac, refused)
SELECT t.tenant_id, $2::uuid, statement_timestamp(), $3::bytea, $4::uuid[], $5::int, $6::text, $7::bytea, false
FROM tenant t WHERE t.tenant_id = $1::int`;

const NOTE_MARKED = `
INSERT INTO audit_clock (tenant_id, record_id, received_at)
SELECT t.tenant_id, unnest($2::uuid[]), statement_timestamp() FROM tenant t WHERE t.tenant_id = $1::int`;

/** Whoever seals or restores a week waits for this lock, and this waits for whoever does. */
const GENERATION = 'SELECT a.generation FROM audit_archive a WHERE a.tenant_id = $1::int FOR SHARE';

const FIND_TENANT = 'SELECT t.tenant_id FROM tenant t WHERE t.tenant_id = $1::int';

/** The columns of a batch, each as one text. */
const listsOf = (events: readonly CheckedEvent[], isTwice: boolean): string[] =>
  COLUMNS.map(({ textOf }) => events.map((event) => MARK_TEXT + textOf(event, isTwice)).join(''));

/** The rows of a batch that is stored in steps. The events are kept, because each step needs some of their values. */
export class DistributedRows {
  readonly #events: CheckedEvent[] = [];

  constructor(
    private readonly service: ServiceDoor,
    private readonly tenantId: number,
    private readonly isTwice: boolean,
  ) {}

  add(event: EventBytes): void {
    this.#events.push(event.checked());
  }

  /** @param order the order of the events; null: the order in which they were added */
  ready(seal: SealedBatch, order: Uint32Array | null): (sealed: Sealed | null) => Promise<number | null> {
    const { service, tenantId, isTwice } = this;
    const events = order ? Array.from(order, (place) => this.#events[place] as CheckedEvent) : this.#events;
    const lists = listsOf(events, isTwice);
    return (sealed) => {
      const generation = sealed?.generation ?? null;
      if (!sealed || sealed.known.size === 0)
        return storeBySteps(service, { tenantId, events, seal, lists, generation });
      const fresh = events.filter(({ recordId }) => !sealed.known.has(recordId));
      return storeBySteps(service, {
        tenantId,
        events: fresh,
        seal,
        lists: listsOf(fresh, isTwice),
        generation,
      });
    };
  }
}

interface Batch {
  readonly tenantId: number;
  readonly events: readonly CheckedEvent[];
  readonly seal: SealedBatch;
  readonly lists: readonly string[];
  /** For events of weeks that may be sealed; null: of others. */
  readonly generation: bigint | null;
}

/**
 * Stores new events, counts them and queues them for the evidence log, in one transaction. @returns the number of new
 * events; null: a week was sealed or restored since the list of files was read
 */
function storeBySteps(
  service: ServiceDoor,
  { tenantId, events, seal, lists, generation }: Batch,
): Promise<number | null> {
  return service.steps(oneTenant(tenantId), async (step) => {
    if (generation !== null) {
      const [row] = await step(GENERATION, [tenantId]);
      if (BigInt(String(row?.generation ?? 0)) !== generation) return null;
    }
    const rows = await step(INSERT, [tenantId, ...lists]);
    if (rows.length === 0) {
      const found = await step(FIND_TENANT, [tenantId]);
      if (found.length === 0) throw noTenant(tenantId);
      return 0;
    }
    const ids = rows.map(({ record_id }) => String(record_id));
    const stored = accepted(events, ids);
    await step(COUNT, [tenantId, ...countsOf(stored)]);
    const marked = stored.filter(({ record }) => Object.hasOwn(record.additional ?? {}, CLOCK_MARK));
    if (marked.length > 0) await step(NOTE_MARKED, [tenantId, marked.map(({ recordId }) => recordId)]);
    const { batchId, leaves, keyId, mac } = seal;
    const some = ids.length * LEAF_BYTES < leaves.length ? ids : null;
    await step(LOG, [tenantId, batchId, leaves, some, ids.length, keyId, mac]);
    return ids.length;
  });
}

export const noTenant = (tenantId: number): unknown =>
  toDomainError(new Error(`tenant ${tenantId} does not exist: nothing was stored`));

/** If a record occurs twice in a batch, the first one is stored. */
function accepted(events: readonly CheckedEvent[], ids: readonly string[]): readonly CheckedEvent[] {
  if (ids.length === events.length) return events;
  const wanted = new Set(ids);
  return events.filter(({ recordId }) => wanted.delete(recordId));
}

interface Count {
  readonly hour: number;
  /** The values of the counted columns, in their order. */
  readonly values: readonly string[];
  n: number;
  ok: number;
}

/** The columns of `COUNT` after the tenant. */
function countsOf(events: readonly CheckedEvent[]): unknown[][] {
  const counts = new Map<string, Count>();
  for (const { recordId, record } of events) {
    const hour = Math.floor(idBytes(recordId).readUIntBE(0, 6) / HOUR_MS);
    const texts = COUNTED.map(({ field }) => String(record[field] ?? ''));
    const key = JSON.stringify([hour, ...texts]);
    let count = counts.get(key);
    if (!count) {
      count = { hour, values: texts.map(toStored), n: 0, ok: 0 };
      counts.set(key, count);
    }
    count.n++;
    if (record.succeeded) count.ok++;
  }
  const all = [...counts.values()];
  return [
    all.map(({ hour }) => hour),
    ...COUNTED.map((_, i) => all.map(({ values }) => values[i])),
    all.map(({ n }) => n),
    all.map(({ ok }) => ok),
  ];
}
