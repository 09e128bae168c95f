import { HOUR_MS } from '../../event/event-time';
import { bitsOfCodes, countBits, placesOf, trim } from './bits';
import { COLUMN_VALUES_MAX, countAllCodes, countCodes } from './codec';
import { type ColumnField, columnOf, OUTCOME } from './column-fields';
import type { Block } from './hour-blocks';
import type { DayCounts } from './kept-days';
import type { ReadOnce } from './read-once';
import { addAt, addTo, type Count, type Counting, type Sums } from './tally';

/** The counts of one tenant. They are kept by the numbers of values until all hours of the tenant are counted. */
export class TenantCounts implements DayCounts {
  readonly columns: readonly ColumnField[];
  readonly #byField: readonly { readonly field: ColumnField; readonly counts: NumberCounts }[];

  constructor(
    private readonly tenantId: number,
    private readonly asked: Counting,
    private readonly sums: Sums,
    /** The values that are counted by window, by their numbers. */
    private readonly sought: ReadonlyMap<number, string>,
  ) {
    const fields = asked.fields.filter((field): field is ColumnField => field !== 'tenantId');
    this.#byField = fields.map((field) => ({ field, counts: new NumberCounts() }));
    this.columns = [
      ...new Set<ColumnField>([
        ...fields,
        ...(asked.ofValues ? [asked.ofValues.field] : []),
        ...(asked.hasOutcomes ? (['succeeded'] as const) : []),
      ]),
    ];
  }

  add(block: Block): void {
    const failed = this.asked.hasOutcomes ? failedOf(block) : NONE;
    const count = { n: block.count, ok: block.count - failed.length };
    const { windowMs, ofValues } = this.asked;
    this.#addTotal(count);
    for (const { field, counts } of this.#byField) counts.add(block, field, failed);
    if (windowMs === null) return;
    if (windowMs >= HOUR_MS) {
      const window = Math.floor((block.hour * HOUR_MS) / windowMs);
      addAt(this.sums.windows, window, count);
      if (ofValues) this.#addOfValues(block, ofValues.field, window, failed);
    } else this.#addWindows(block, windowMs, failed);
  }

  #addWindows({ hour, count, places, columns }: Block, windowMs: number, failed: Uint32Array): void {
    const perHour = HOUR_MS / windowMs;
    const [n, bad] = [new Int32Array(perHour), new Int32Array(perHour)];
    const times = columns.times as Int32Array;
    const windowAt = (place: number) => Math.floor((times[place] as number) / windowMs);
    for (let i = 0; i < count; i++) (n[windowAt(places ? (places[i] as number) : i)] as number)++;
    for (const place of failed) (bad[windowAt(place)] as number)++;
    for (let w = 0; w < perHour; w++) {
      const events = n[w] as number;
      if (events > 0)
        addAt(this.sums.windows, hour * perHour + w, { n: events, ok: events - (bad[w] as number) });
    }
  }

  #addOfValues(block: Block, field: ColumnField, window: number, failed: Uint32Array): void {
    const counts = new NumberCounts();
    counts.add(block, field, failed);
    for (const [number, text] of this.sought) {
      const count = counts.at(number);
      if (count.n > 0) addAt(this.sums.windowsOf(text), window, count);
    }
  }

  /** Of total, windows and values, without windows of values. */
  pack(): Float64Array {
    const { total, windows } = this.sums;
    const numbers = [total.n, total.ok, windows.size];
    for (const [window, { n, ok }] of windows) numbers.push(window, n, ok);
    for (const [k, { counts }] of this.#byField.entries())
      for (const [id, { n, ok }] of counts.entries()) numbers.push(k, id, n, ok);
    return Float64Array.from(numbers);
  }

  take(packed: Float64Array): void {
    const [n = 0, ok = 0, windows = 0] = packed;
    this.#addTotal({ n, ok });
    const at = (i: number) => packed[i] as number;
    let i = 3;
    for (const end = i + windows * 3; i < end; i += 3)
      addAt(this.sums.windows, at(i), { n: at(i + 1), ok: at(i + 2) });
    for (; i < packed.length; i += 4)
      this.#byField[at(i)]?.counts.addTo(at(i + 1), { n: at(i + 2), ok: at(i + 3) });
  }

  #addTotal(count: Count): void {
    addTo(this.sums.total, count);
    if (count.n > 0 && this.asked.fields.includes('tenantId'))
      addAt(this.sums.valuesOf('tenantId'), String(this.tenantId), count);
  }

  /** Adds the counts by number to the sums by value. */
  async name(once: ReadOnce): Promise<void> {
    const all = this.#byField.map(({ field, counts }) => ({ field, entries: [...counts.entries()] }));
    const idsOf = (entries: (typeof all)[number]['entries']) => entries.map(([id]) => id);
    await once.learn(
      this.tenantId,
      all.map(({ field, entries }) => ({ field, ids: idsOf(entries) })),
    );
    for (const { field, entries } of all) {
      const names = await once.namesOf(this.tenantId, field, idsOf(entries));
      for (const [id, count] of entries) addAt(this.sums.valuesOf(field), names(id), count);
    }
  }
}

const N = new Int32Array(COLUMN_VALUES_MAX);
const BAD = new Int32Array(COLUMN_VALUES_MAX);

/** The events of each number of a value, and how many of them succeeded: more than fit into 32 bits. */
class NumberCounts {
  #n = new Float64Array(256);
  #ok = new Float64Array(256);

  /** @param failed places of the events that did not succeed, which are few */
  add({ places, columns }: Block, field: ColumnField, failed: Uint32Array): void {
    const column = columns.column(field);
    if (!column) throw new Error(`an hour without the column ${columnOf(field)} was taken for one with it`);
    const { ids } = column;
    const [n, bad] = [N.fill(0, 0, ids.length), BAD.fill(0, 0, ids.length)];
    if (places) countCodes(column, places, n);
    else countAllCodes(column, columns.n, n);
    countCodes(column, failed, bad);
    for (let code = 0; code < ids.length; code++) {
      const events = n[code] as number;
      if (events === 0) continue;
      this.addTo(ids[code] as number, { n: events, ok: events - (bad[code] as number) });
    }
  }

  addTo(id: number, { n, ok }: Count): void {
    if (id >= this.#n.length) this.#grow(id);
    this.#n[id] = (this.#n[id] as number) + n;
    this.#ok[id] = (this.#ok[id] as number) + ok;
  }

  at(id: number): Count {
    return { n: this.#n[id] ?? 0, ok: this.#ok[id] ?? 0 };
  }

  #grow(id: number): void {
    const size = 2 ** Math.ceil(Math.log2(id + 1));
    const [n, ok] = [new Float64Array(size), new Float64Array(size)];
    n.set(this.#n);
    ok.set(this.#ok);
    [this.#n, this.#ok] = [n, ok];
  }

  *entries(): Generator<[number, Count]> {
    for (let id = 0; id < this.#n.length; id++)
      if (this.#n[id]) yield [id, { n: this.#n[id] as number, ok: this.#ok[id] as number }];
  }
}

const NONE = new Uint32Array(0);

/** The places of a block's events that did not succeed. */
function failedOf({ bits, columns }: Block): Uint32Array {
  const column = columns.column('succeeded');
  if (!column) throw new Error('an hour without outcomes was taken for one with them');
  const flags = Uint8Array.from(column.ids, (id) => (id === OUTCOME.failed ? 1 : 0));
  if (!flags.includes(1)) return NONE;
  const failed = bitsOfCodes(column, flags, columns.n);
  trim(failed, columns.n);
  if (bits) for (let i = 0; i < failed.length; i++) failed[i] = (failed[i] as number) & (bits[i] as number);
  return placesOf(failed, countBits(failed));
}
