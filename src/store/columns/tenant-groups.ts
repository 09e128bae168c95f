import { TooManyValues } from '../../errors';
import { HOUR_MS } from '../../event/event-time';
import type { NumberField } from '../../event/fields';
import { LIMITS } from '../../limits';
import { type Column, codeAt, plus } from './codec';
import { type ColumnField, type GroupField, OUTCOME } from './column-fields';
import type { ColumnCounter } from './counter';
import type { Block } from './hour-blocks';
import type { DayCounts } from './kept-days';

/** Events that have the same values of the fields by which they are grouped. */
export interface EventGroup {
  /** In the order of the fields; empty: absent. An outcome is `true` or `false`. */
  readonly values: readonly string[];
  readonly n: number;
  readonly failed: number;
  /** Its events in the period before; null: its servers recorded nothing then, or there is no such period. */
  readonly before: number | null;
  /** Its first and last event, in milliseconds since 1970. If it has none, those of the period before. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** The sum of the numbers of a field; null: its events state none, or no sum is asked for. */
  readonly sum: number | bigint | null;
}
/** A group while it is counted. */
export type Sum = { -readonly [name in keyof EventGroup]: EventGroup[name] };

type Added = Pick<EventGroup, 'n' | 'failed' | 'firstMs' | 'lastMs' | 'sum'>;

export function join(sum: Sum, { n, failed, firstMs, lastMs, sum: numbers }: Added): void {
  if (numbers !== null) sum.sum = plus(sum.sum, numbers);
  sum.n += n;
  sum.failed += failed;
  sum.firstMs = Math.min(sum.firstMs, firstMs);
  sum.lastMs = Math.max(sum.lastMs, lastMs);
}

const refused = (what: string, fields: readonly (GroupField | undefined)[]) =>
  new TooManyValues(
    `${what} by ${fields.filter(Boolean).join(' and ')}: narrow the time range or the filter, or group by another field.`,
  );
export const tooManyGroups = (fields: readonly (GroupField | undefined)[]) =>
  refused(`There are more than ${LIMITS.groupsCountedMax} groups`, fields);
export const tooLongGroups = (fields: readonly (GroupField | undefined)[]) =>
  refused(`The values of the groups have more than ${LIMITS.groupsCountedChars} characters`, fields);

/** The groups of one tenant, by the numbers of their values. */
export class TenantGroups implements DayCounts {
  readonly columns: readonly ColumnField[];
  /** For each field the places of what is known so far, by the place of the fields before and the number of the value. */
  readonly #levels: readonly Map<number, number>[];
  /** The groups by their places, and the numbers of their values, one after the other. */
  readonly #sums: Sum[] = [];
  readonly #ids: number[] = [];

  constructor(
    private readonly fields: readonly GroupField[],
    private readonly sumOf: NumberField | null,
  ) {
    this.#levels = fields.map(() => new Map());
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
    // More groups in one hour are more groups in all.
    const size = slots ? Math.min(count, LIMITS.groupsCountedMax) : combined;
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
      if (slots) slot = this.#slotOf(slots, slot);
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

  #slotOf(slots: Map<number, number>, code: number): number {
    const known = slots.get(code);
    if (known !== undefined) return known;
    if (slots.size >= LIMITS.groupsCountedMax) throw tooManyGroups(this.fields);
    slots.set(code, slots.size);
    return slots.size - 1;
  }

  /** @param ids one for each field */
  #at(ids: ArrayLike<number>): Sum {
    let place = 0;
    for (let k = 0; k < ids.length; k++) {
      const level = this.#levels[k] as Map<number, number>;
      const key = place * ID_SPAN + (ids[k] as number);
      const known = level.get(key);
      place = known ?? level.size;
      if (known === undefined) level.set(key, place);
    }
    const sum = this.#sums[place];
    if (sum) return sum;
    if (place >= LIMITS.groupsCountedMax) throw tooManyGroups(this.fields);
    for (let k = 0; k < ids.length; k++) this.#ids.push(ids[k] as number);
    const made = emptySum();
    this.#sums.push(made);
    return made;
  }

  *#all(): Generator<{ ids: readonly number[]; sum: Sum }> {
    const own = this.fields.length;
    for (const [i, sum] of this.#sums.entries()) yield { ids: this.#ids.slice(i * own, (i + 1) * own), sum };
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

/** More than every number of a value. */
const ID_SPAN = 2 ** 32;
/** Numbers of a packed group beside those of its values. */
const PACKED = 4;
const SLOTS_MIN = 1_024;

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

const UNNAMED: readonly string[] = [];
const emptySum = (): Sum => ({
  values: UNNAMED,
  n: 0,
  failed: 0,
  before: null,
  firstMs: Number.POSITIVE_INFINITY,
  lastMs: 0,
  sum: null,
});

function wanted<T>(part: T | null): T {
  if (part === null) throw new Error('an hour without a wanted column was taken for one with it');
  return part;
}
