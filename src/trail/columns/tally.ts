import type { ColumnField, GroupField } from './column-fields';

/** Events, and how many of them succeeded. */
export interface Count {
  n: number;
  ok: number;
}

/** What is to be counted beside the total. */
export interface Counting {
  /** By windows of so many milliseconds since 1970; null: not at all. */
  readonly windowMs: number | null;
  readonly fields: readonly GroupField[];
  /** Whether outcomes are told apart; else every event counts as one that succeeded. */
  readonly hasOutcomes: boolean;
  /** By window, of each of these values alone. */
  readonly ofValues?: { readonly field: ColumnField; readonly values: ReadonlySet<string> };
}

/** Exact counts of the events that a filter leaves. */
export interface Tally {
  readonly total: Count;
  /** By the number of the window. */
  readonly windows: ReadonlyMap<number, Count>;
  /** By value; the outcome is `true` or `false`, absent values are empty. */
  readonly values: ReadonlyMap<GroupField, ReadonlyMap<string, Count>>;
  /** By value and window. */
  readonly windowsOfValues: ReadonlyMap<string, ReadonlyMap<number, Count>>;
  /** By tenant the hours whose events were read. */
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
