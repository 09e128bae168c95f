import { useEffect, useRef, useState } from 'react';
import { formatCount } from '../lib/numbers';
import type { Source } from './source-state';

interface Reading {
  readonly atMs: number;
  readonly publishedCount: number;
}
export const keyOf = ({ tenantId, hostName, databaseName }: Source): string =>
  JSON.stringify([tenantId, hostName, databaseName]);

/** Events a minute of each source since the page first saw it; undefined until there are two readings. */
export function useRates(sources: readonly Source[] | undefined): (source: Source) => number | undefined {
  const first = useRef(new Map<string, Reading>());
  const [rates, setRates] = useState<ReadonlyMap<string, number>>(new Map());
  useEffect(() => {
    if (!sources) return;
    const atMs = Date.now();
    const next = new Map<string, number>();
    for (const source of sources) {
      const before = first.current.get(keyOf(source));
      if (!before) first.current.set(keyOf(source), { atMs, publishedCount: source.publishedCount });
      else if (atMs > before.atMs)
        next.set(
          keyOf(source),
          ((source.publishedCount - before.publishedCount) * 60_000) / (atMs - before.atMs),
        );
    }
    setRates(next);
  }, [sources]);
  return (source) => rates.get(keyOf(source));
}

export const formatRate = (rate: number | undefined): string =>
  rate === undefined ? 'measuring …' : `${formatCount(Math.round(rate))} / min`;
