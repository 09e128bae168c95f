import type { ColumnField, GroupField } from './column-fields';

/** Events, and how many of them succeeded. */
export interface Count {
  n: number;
  ok: number;
}

/** The counts that are wanted besides the total. */
export interface Counting {
  /** Counts by windows of so many milliseconds since 1970; null: no such counts. */
  readonly windowMs: number | null;
  readonly fields: readonly GroupField[];
  /** Whether outcomes are counted separately; else every event counts as succeeded. */
  readonly hasOutcomes: boolean;
  /** Counts by window for each of these values. */
  readonly ofValues?: { readonly field: ColumnField; readonly values: ReadonlySet<string> };
}

/** Exact counts of the events that pass a filter. */
export interface Tally {
  readonly total: Count;
  /** The counts by the number of the window. */
  readonly windows: ReadonlyMap<number, Count>;
  /** The counts by value. An outcome is `true` or `false`; an absent value is empty. */
  readonly values: ReadonlyMap<GroupField, ReadonlyMap<string, Count>>;
  /** The counts by value and window. */
  readonly windowsOfValues: ReadonlyMap<string, ReadonlyMap<number, Count>>;
  /** The hours of each tenant whose events were read. */
  readonly read: ReadonlyMap<number, ReadonlySet<number>>;
}

/** A tally while it is counted. */
export class Sums {
  readonly total: Count = { n: 0, ok: 0 };
  readonly windows = new Map<number, Count>();
  readonly values = new Map<GroupField, Map<string, Count>>();
  readonly windowsOfValues = new Map<string, Map<number, Count>>();

  valuesOf(field: GroupField): Map<string, Count> {
    return entry(this.values, field, () => new Map());
  }

  windowsOf(value: string): Map<number, Count> {
    return entry(this.windowsOfValues, value, () => new Map());
  }
}

export function addTo(sum: Count, { n, ok }: Count): void {
  sum.n += n;
  sum.ok += ok;
}

export const addAt = <K>(sums: Map<K, Count>, key: K, count: Count): void =>
  addTo(
    entry(sums, key, () => ({ n: 0, ok: 0 })),
    count,
  );

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
