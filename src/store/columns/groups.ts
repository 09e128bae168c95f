import { DomainError } from '../../errors';
import { HOUR_MS } from '../../event/event-time';
import { COLUMN_OF, isNumberField, type NumberField } from '../../event/fields';
import { exactInteger } from '../../event/lifted';
import { LIMITS } from '../../limits';
import { fromStored } from '../rows/stored-text';
import { type Column, codeAt, plus } from './codec';
import { type ColumnField, type GroupField, OUTCOME } from './column-fields';
import type { ColumnCounter } from './counter';
import type { Block } from './hour-blocks';
import { type DayCounts, gather } from './kept-days';

/** Events that have the same values of the fields by which they are grouped. */
export interface EventGroup {
  /** In the order of the fields; empty: absent. An outcome is `true` or `false`. */
  readonly values: readonly string[];
  readonly n: number;
  readonly failed: number;
  /** Its events in the period before. */
  readonly before: number;
  /** Its first and last event, in milliseconds since 1970. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** The sum of the numbers of a field; null: its events state none, or no sum is asked for. */
  readonly sum: number | bigint | null;
}
type Sum = { -readonly [name in keyof EventGroup]: EventGroup[name] };

/** The fields by which events are grouped: one to three. */
export type GroupFields = readonly [GroupField, GroupField?, GroupField?];

export interface Grouping {
  readonly fields: GroupFields;
  /** The field whose numbers are added up; null: none. */
  readonly sumOf: NumberField | null;
}

/**
 * All groups of the events that a counter counts.
 * @param before counts the period before; null: there is none
 * @throws DomainError `invalid_parameter` where there are more groups than `LIMITS.groupsCountedMax`
 */
export async function groupsByColumns(
  counter: ColumnCounter,
  before: ColumnCounter | null,
  grouping: Grouping,
): Promise<readonly EventGroup[]> {
  const { fields } = grouping;
  const groups = new Map<string, Sum>();
  for (const tenantId of counter.tenants)
    for (const group of await groupsOfTenant(counter, tenantId, grouping)) {
      const key = JSON.stringify(group.values);
      const known = groups.get(key);
      if (known) join(known, group);
      else groups.set(key, group);
      if (groups.size > LIMITS.groupsCountedMax) throw tooManyGroups(fields);
      await counter.clock.turn();
    }
  for (const tenantId of before?.tenants ?? [])
    for (const { values, n } of before
      ? await groupsOfTenant(before, tenantId, { fields, sumOf: null })
      : []) {
      const known = groups.get(JSON.stringify(values));
      if (known) known.before += n;
      await counter.clock.turn();
    }
  return [...groups.values()];
}

type Added = Pick<EventGroup, 'n' | 'failed' | 'firstMs' | 'lastMs' | 'sum'>;

function join(sum: Sum, { n, failed, firstMs, lastMs, sum: numbers }: Added): void {
  if (numbers !== null) sum.sum = plus(sum.sum, numbers);
  sum.n += n;
  sum.failed += failed;
  sum.firstMs = Math.min(sum.firstMs, firstMs);
  sum.lastMs = Math.max(sum.lastMs, lastMs);
}

const tooManyGroups = (fields: readonly (GroupField | undefined)[]) =>
  new DomainError('invalid_parameter', {
    public: `There are more than ${LIMITS.groupsCountedMax} groups by ${fields.filter(Boolean).join(' and ')}: narrow the time range or the filter, or group by another field.`,
  });

/** @returns groups; those of hours whose events had to be read stand beside the others */
async function groupsOfTenant(
  counter: ColumnCounter,
  tenantId: number,
  { fields: given, sumOf }: Grouping,
): Promise<Sum[]> {
  const fields = given.filter((field) => field !== undefined);
  const groups = new TenantGroups(fields, sumOf);
  const hours = await counter.tenantHours(tenantId);
  const wants = { fields: groups.columns, hasTimes: true };
  // Numbers have no numbers of values that a later question knows.
  const unread = groups.columns.some(isNumberField)
    ? await hours.visit(wants, (block) => groups.add(block))
    : await gather(hours, {
        name: JSON.stringify(fields),
        wanted: wants,
        open: () => new TenantGroups(fields, null),
        take: (packed) => groups.take(packed),
      });
  const counted = await groups.named(counter, tenantId);
  const rows = await counter.readGroups(tenantId, unread, {
    windowMs: null,
    fields,
    hasTimes: true,
    sumOf,
  });
  return [
    ...counted,
    ...rows.map((row) => {
      const n = Number(row.n);
      return {
        values: fields.map((field) => fromStored(String(row[COLUMN_OF[field]]))),
        n,
        failed: n - Number(row.ok),
        before: 0,
        firstMs: Number(row.first_ms),
        lastMs: Number(row.last_ms),
        sum: typeof row.sum === 'string' ? exactInteger(row.sum) : null,
      };
    }),
  ];
}

/** The groups of one tenant, by the numbers of their values. */
class TenantGroups implements DayCounts {
  readonly columns: readonly ColumnField[];
  readonly #root: Level = { next: new Map(), sum: null };
  #size = 0;

  constructor(
    private readonly fields: readonly GroupField[],
    private readonly sumOf: NumberField | null,
  ) {
    const own = fields.filter((field) => field !== 'tenantId');
    this.columns = [...new Set<ColumnField>([...own, 'succeeded', ...(sumOf ? [sumOf] : [])])];
  }

  add({ hour, columns, places, count }: Block): void {
    const parts = this.fields.map((field) =>
      field === 'tenantId' ? ONE_VALUE : wanted(columns.column(field)),
    );
    const outcome = wanted(columns.column('succeeded'));
    const times = wanted(columns.times);
    const numbers = this.sumOf ? wanted(columns.numbers(this.sumOf)) : null;
    const failed = outcome.ids.indexOf(OUTCOME.failed);
    const combined = parts.reduce((product, { ids }) => product * ids.length, 1);
    // Few combinations have a slot each; of many, those that occur get one.
    const slots = combined <= Math.max(SLOTS_MIN, count) ? null : new Map<number, number>();
    const size = slots ? count : combined;
    const [n, bad] = [new Int32Array(size), new Int32Array(size)];
    const [first, last] = [new Int32Array(size), new Int32Array(size)];
    const sums: (number | bigint | null)[] = [];
    for (let i = 0; i < count; i++) {
      const place = places ? (places[i] as number) : i;
      let slot = 0;
      for (let k = 0; k < parts.length; k++) {
        const part = parts[k] as Column;
        slot = slot * part.ids.length + codeAt(part, place);
      }
      if (slots) slot = slotOf(slots, slot);
      // The events of an hour are in the order of their times.
      if (n[slot] === 0) first[slot] = place;
      last[slot] = place;
      (n[slot] as number)++;
      if (codeAt(outcome, place) === failed) (bad[slot] as number)++;
      const number = numbers?.values[codeAt(numbers, place)] ?? null;
      if (number !== null) sums[slot] = plus(sums[slot] ?? null, number);
    }
    const msAt = (place: number) => hour * HOUR_MS + (times[place] as number);
    const addSlot = (code: number, slot: number) => {
      if (n[slot] === 0) return;
      join(this.#at(idsOf(parts, code)), {
        n: n[slot] as number,
        failed: bad[slot] as number,
        firstMs: msAt(first[slot] as number),
        lastMs: msAt(last[slot] as number),
        sum: sums[slot] ?? null,
      });
    };
    if (slots) for (const [code, slot] of slots) addSlot(code, slot);
    else for (let code = 0; code < combined; code++) addSlot(code, code);
  }

  pack(): Float64Array {
    const numbers: number[] = [];
    for (const { ids, sum } of this.#all()) numbers.push(...ids, sum.n, sum.failed, sum.firstMs, sum.lastMs);
    return Float64Array.from(numbers);
  }

  /** Adds packed groups. */
  take(packed: Float64Array): void {
    const own = this.fields.length;
    for (let i = 0; i < packed.length; i += own + PACKED) {
      const [n = 0, failed = 0, firstMs = 0, lastMs = 0] = packed.subarray(i + own, i + own + PACKED);
      join(this.#at(packed.subarray(i, i + own)), { n, failed, firstMs, lastMs, sum: null });
    }
  }

  #at(ids: Iterable<number>): Sum {
    let level = this.#root;
    for (const id of ids) {
      const next = level.next.get(id) ?? { next: new Map(), sum: null };
      level.next.set(id, next);
      level = next;
    }
    if (level.sum) return level.sum;
    if (++this.#size > LIMITS.groupsCountedMax) throw tooManyGroups(this.fields);
    level.sum = {
      values: [],
      n: 0,
      failed: 0,
      before: 0,
      firstMs: Number.POSITIVE_INFINITY,
      lastMs: 0,
      sum: null,
    };
    return level.sum;
  }

  *#all(
    level: Level = this.#root,
    ids: readonly number[] = [],
  ): Generator<{ ids: readonly number[]; sum: Sum }> {
    if (level.sum) yield { ids, sum: level.sum };
    for (const [id, next] of level.next) yield* this.#all(next, [...ids, id]);
  }

  async named(counter: ColumnCounter, tenantId: number): Promise<Sum[]> {
    const all = [...this.#all()];
    const wanted = this.fields.map((field, k) => ({ field, ids: all.map(({ ids }) => ids[k] as number) }));
    const { once } = counter;
    await once.learn(
      tenantId,
      wanted.flatMap(({ field, ids }) => (field === 'tenantId' ? [] : [{ field, ids }])),
    );
    const names: ((id: number) => string)[] = [];
    for (const { field, ids } of wanted)
      names.push(field === 'tenantId' ? () => String(tenantId) : await once.namesOf(tenantId, field, ids));
    return all.map(({ ids, sum }) => ({ ...sum, values: ids.map((id, k) => names[k]?.(id) ?? '') }));
  }
}

/** Groups by the numbers of their values, one level for each field. */
interface Level {
  readonly next: Map<number, Level>;
  sum: Sum | null;
}
/** Numbers of a packed group beside those of its values. */
const PACKED = 4;
const SLOTS_MIN = 1_024;

function slotOf(slots: Map<number, number>, code: number): number {
  const known = slots.get(code);
  if (known !== undefined) return known;
  slots.set(code, slots.size);
  return slots.size - 1;
}

function idsOf(parts: readonly Column[], code: number): number[] {
  let rest = code;
  return parts
    .toReversed()
    .map(({ ids }) => {
      const id = ids[rest % ids.length] as number;
      rest = Math.floor(rest / ids.length);
      return id;
    })
    .reverse();
}

/** Stands for a column whose events all have the same value. */
const ONE_VALUE: Column = { ids: Int32Array.of(0), width: 0, bytes: new Uint8Array(0) };

function wanted<T>(part: T | null): T {
  if (part === null) throw new Error('an hour without a wanted column was taken for one with it');
  return part;
}
