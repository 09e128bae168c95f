import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { CountDocument } from '../../generated/operations';
import { MINUTE_MS } from '../lib/time';
import type { ExploreFilter } from './explore-filter';
import { endsNow, type TimeRange } from './time-range';

/** Their names are in the catalogue. */ export const REFRESHES = {
  off: { name: 'noRefresh', ms: 0 },
  '10s': { name: 'every10s', ms: 10_000 },
  '1min': { name: 'every1min', ms: MINUTE_MS },
} as const;
export type Refresh = keyof typeof REFRESHES;

export interface NewEvents {
  readonly every: Refresh;
  readonly setEvery: (every: Refresh) => void;
  /** The number of events that arrived since the reader asked the question. */
  readonly count: number;
}

interface Shown {
  readonly range: TimeRange;
  readonly filter: ExploreFilter;
  /** Undefined: not known yet. */
  readonly totalCount: number | undefined;
  /** Whether the rows may change without an action of the reader. */
  readonly isFirstPage: boolean;
}

/** Asks at an interval, and counts the new events: from the start of the range up to now. */
export function useNewEvents(question: string, shown: Shown, refresh: (isQuiet: boolean) => void): NewEvents {
  const client = useClient();
  const [every, setEvery] = useState<Refresh>('off');
  const [counted, setCounted] = useState({ question, count: 0 });
  const current = useRef({ shown, refresh });
  current.current = { shown, refresh };
  const { ms } = REFRESHES[every];
  useEffect(() => {
    if (ms === 0) return;
    const ask = async () => {
      const { range, filter, totalCount, isFirstPage } = current.current.shown;
      if (document.hidden || totalCount === undefined) return;
      const upToNow = endsNow(range) ? { ...filter, endTime: new Date().toISOString() } : filter;
      const { data } = await client.query(CountDocument, upToNow).toPromise();
      const came = (data?.auditEvents.totalCount ?? 0) - totalCount;
      if (current.current.shown.filter !== filter) return;
      if (came > 0)
        setCounted((before) => ({
          question,
          // New events on another page are counted again from the same total.
          count: came + (before.question === question && isFirstPage ? before.count : 0),
        }));
      if (isFirstPage) current.current.refresh(true);
    };
    const timer = setInterval(ask, ms);
    return () => clearInterval(timer);
  }, [client, ms, question]);
  return { every, setEvery, count: counted.question === question ? counted.count : 0 };
}
