import { useCallback, useRef, useState } from 'react';
import type { COMMON } from './common';
import type { In } from './texts';
import { MINUTE_MS } from './time';

interface Counted {
  readonly key: string;
  readonly count: number;
}

/**
 * The rate per minute of each row's count since the page first saw it, rounded; undefined until there are two readings.
 * @returns the rate by key, and what takes the rows of each answer: a reading
 */
export function useRates<T>(
  countedOf: (row: T) => Counted,
): readonly [(key: string) => number | undefined, (rows: readonly T[]) => void] {
  const first = useRef(new Map<string, { readonly atMs: number; readonly count: number }>());
  const [rates, setRates] = useState<ReadonlyMap<string, number>>(new Map());
  const latest = useRef(countedOf);
  latest.current = countedOf;
  const take = useCallback((rows: readonly T[]) => {
    const atMs = Date.now();
    const next = new Map<string, number>();
    for (const row of rows) {
      const { key, count } = latest.current(row);
      const before = first.current.get(key);
      if (!before) first.current.set(key, { atMs, count });
      else if (atMs > before.atMs) {
        next.set(key, Math.round(((count - before.count) * MINUTE_MS) / (atMs - before.atMs)));
      }
    }
    // Where no rate is another one, nothing is drawn.
    setRates((now) => (isEqual(now, next) ? now : next));
  }, []);
  const rateOf = useCallback((key: string) => rates.get(key), [rates]);
  return [rateOf, take];
}

const isEqual = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean =>
  a.size === b.size && [...a].every(([key, rate]) => b.get(key) === rate);

export const formatRate = (rate: number | undefined, common: In<typeof COMMON>): string =>
  rate === undefined ? common.measuring : common.perMinute(rate);
