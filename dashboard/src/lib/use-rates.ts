import { useEffect, useRef, useState } from 'react';
import type { COMMON } from './common';
import type { In } from './texts';

interface Counted {
  readonly key: string;
  readonly count: number;
}

/**
 * The rate per minute of each row's count since the page first saw it; undefined until there are two readings.
 * @param rows of an answer: another list is another reading
 */
export function useRates<T>(
  rows: readonly T[] | undefined,
  countedOf: (row: T) => Counted,
): (key: string) => number | undefined {
  const first = useRef(new Map<string, { readonly atMs: number; readonly count: number }>());
  const [rates, setRates] = useState<ReadonlyMap<string, number>>(new Map());
  const latest = useRef(countedOf);
  latest.current = countedOf;
  useEffect(() => {
    if (!rows) return;
    const atMs = Date.now();
    const next = new Map<string, number>();
    for (const row of rows) {
      const { key, count } = latest.current(row);
      const before = first.current.get(key);
      if (!before) first.current.set(key, { atMs, count });
      else if (atMs > before.atMs) next.set(key, ((count - before.count) * 60_000) / (atMs - before.atMs));
    }
    // Where no rate is another one, nothing is drawn.
    setRates((now) => (isEqual(now, next) ? now : next));
  }, [rows]);
  return (key) => rates.get(key);
}

const isEqual = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean =>
  a.size === b.size && [...a].every(([key, rate]) => b.get(key) === rate);

export const formatRate = (rate: number | undefined, common: In<typeof COMMON>): string =>
  rate === undefined ? common.measuring : common.perMinute(Math.round(rate));
