import { useEffect, useRef, useState } from 'react';
import type { COMMON } from './common';
import type { In } from './texts';

interface Counted {
  readonly key: string;
  readonly count: number;
}

/** The rate per minute of each key's count since the page first saw it; undefined until there are two readings. */
export function useRates(counted: readonly Counted[] | undefined): (key: string) => number | undefined {
  const first = useRef(new Map<string, { readonly atMs: number; readonly count: number }>());
  const [rates, setRates] = useState<ReadonlyMap<string, number>>(new Map());
  // Each rendering makes a new object, so its content is compared.
  const text = JSON.stringify(counted ?? null);
  useEffect(() => {
    const readings = JSON.parse(text) as readonly Counted[] | null;
    if (!readings) return;
    const atMs = Date.now();
    const next = new Map<string, number>();
    for (const { key, count } of readings) {
      const before = first.current.get(key);
      if (!before) first.current.set(key, { atMs, count });
      else if (atMs > before.atMs) next.set(key, ((count - before.count) * 60_000) / (atMs - before.atMs));
    }
    setRates(next);
  }, [text]);
  return (key) => rates.get(key);
}

export const formatRate = (rate: number | undefined, common: In<typeof COMMON>): string =>
  rate === undefined ? common.measuring : common.perMinute(Math.round(rate));
