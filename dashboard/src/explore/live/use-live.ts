import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { EventsQuery } from '../../../generated/operations';
import { openLive } from '../../api/session';
import type { ExploreFilter } from '../explore-filter';
import type { ExploreState } from '../explore-state';
import { followLive, type LivePlace, type LiveState } from './follow';
import { type Came, freshIds, mergedRows, notIn, withNews } from './rows';
import { restUntilOnline, useVisible } from './surroundings';
import { goToTop, useHeld } from './use-held';

type Page = EventsQuery['auditEvents'];
type Item = Page['items'][number];

/** Total, bars and counts beside the rows are asked again no more often, also after a failure, */
const REFRESH_MS = 10_000;
/** and so often where nothing comes: the range moves with the clock. */
const MOVE_MS = 60_000;

interface Shown {
  readonly state: ExploreState;
  readonly filter: ExploreFilter;
  readonly question: string;
  readonly page: Page | undefined;
  /** Whether nothing is asked, as the filter is not understood. */
  readonly isOff: boolean;
  readonly refresh: (isQuiet: boolean) => void;
  /** Why a part of the view has no answer. */
  readonly failure: Error | undefined;
}

export interface Live {
  /** Null: it is off, or the view has no place for new events. */
  readonly state: LiveState | null;
  /** The page of the list, with what came since it was answered. */
  readonly page: Page | undefined;
  readonly fresh: ReadonlySet<string>;
  /** The events that came while the reader was at work in the rows. */
  readonly waiting: number;
  /** All that came since the question was asked. */
  readonly count: number;
  readonly show: () => void;
}

/** Whether new events have a place in the view: on top of its rows. */
export const mayBeLive = ({ range, sortBy, descending, page }: ExploreState): boolean =>
  hasOpenEnd(range) && sortBy === 'eventTime' && descending && page === 1;
export const hasOpenEnd = ({ kind }: ExploreState['range']): boolean =>
  kind === 'last' || kind === 'today' || kind === 'all';

const NO_CAME: readonly Came<Item>[] = [];
const NO_IDS: ReadonlySet<string> = new Set();

/** New events of a view as they arrive. */
export function useLive(shown: Shown): Live {
  const { state, question, page } = shown;
  const isOn = state.live && mayBeLive(state) && !shown.isOff;
  const latest = useRef(shown);
  latest.current = shown;
  const [news, setNews] = useState({ question, came: NO_CAME, count: 0 });
  const { came, count } = isOn && news.question === question ? news : { came: NO_CAME, count: 0 };
  const { ask, askedMs } = useAsking(isOn, () => latest.current.refresh(true));
  // Nobody may be there to ask again.
  useEffect(() => {
    if (isOn && shown.failure) ask(REFRESH_MS);
  }, [isOn, shown.failure, ask]);
  const connection = useConnection(isOn, shown, {
    onItems: (rows) => {
      setNews((before) => {
        const now = before.question === question ? before : { came: NO_CAME, count: 0 };
        const nowMs = Date.now();
        return { question, came: withNews(now.came, rows, nowMs), count: now.count + rows.length };
      });
      ask(REFRESH_MS);
    },
    onAnew: () => ask(0),
  });
  // What the list has now is shown as it says.
  useEffect(() => {
    if (page)
      setNews((now) =>
        now.came.length === 0 ? now : { ...now, came: notIn(page.items, now.came, askedMs.current) },
      );
  }, [page, askedMs]);
  const rows = useMemo(
    () => mergedRows(page?.items ?? [], came, state.pageSize),
    [page, came, state.pageSize],
  );
  const isHeld = useHeld(isOn, state.event !== null);
  const view = `${question} ${state.pageSize}`;
  const [still, setStill] = useState<Still | null>(null);
  if (isHeld && page && still?.view !== view) setStill({ view, rows, count });
  if (!isHeld && still) setStill(null);
  const show = () => {
    goToTop();
    setStill({ view, rows, count });
  };
  const items = still?.view === view ? still.rows : rows;
  return {
    state: isOn ? connection : null,
    page: page && isOn ? { ...page, items: [...items], totalCount: page.totalCount + came.length } : page,
    fresh: came.length > 0 && !isHeld ? freshIds(came, Date.now()) : NO_IDS,
    waiting: still ? count - still.count : 0,
    count,
    show,
  };
}

/** The rows as they stand while the reader is at work in them. */
interface Still {
  readonly view: string;
  readonly rows: readonly Item[];
  /** The events that had come until then. */
  readonly count: number;
}

/** Asks the view's questions again, in steps. @returns when they were asked last, by the clock of the page */
function useAsking(isOn: boolean, refresh: () => void) {
  const latest = useRef(refresh);
  latest.current = refresh;
  const askedMs = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const ask = useCallback((everyMs: number) => {
    if (timer.current !== undefined) return;
    const run = () => {
      timer.current = undefined;
      askedMs.current = Date.now();
      latest.current();
    };
    timer.current = setTimeout(run, Math.max(0, askedMs.current + everyMs - Date.now()));
  }, []);
  useEffect(() => {
    if (!isOn) return;
    const moving = setInterval(() => !document.hidden && ask(0), MOVE_MS);
    return () => {
      clearInterval(moving);
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [isOn, ask]);
  return { ask, askedMs };
}

interface Takes {
  readonly onItems: (rows: readonly Item[]) => void;
  readonly onAnew: () => void;
}

/** The connection of a question. It ends while nobody can see the page, and goes on from its last id then. */
function useConnection(isOn: boolean, { question, filter, refresh }: Shown, takes: Takes): LiveState {
  const [connection, setConnection] = useState<LiveState>({ kind: 'connecting' });
  const isVisible = useVisible();
  const latest = useRef({ takes, filter, refresh });
  latest.current = { takes, filter, refresh };
  const going = useRef<{ question: string; query: string; place: LivePlace } | null>(null);
  useEffect(() => {
    if (!isOn) going.current = null;
    if (!isOn || !isVisible) return;
    if (going.current?.question !== question)
      going.current = { question, query: queryOf(latest.current.filter), place: { id: null } };
    const { query, place } = going.current;
    const stop = new AbortController();
    void followLive<Item>({
      place,
      signal: stop.signal,
      ask: (id, signal) => openLive(query, id, signal),
      onItems: (rows) => latest.current.takes.onItems(rows),
      onAnew: () => latest.current.takes.onAnew(),
      onState: (now) => {
        setConnection(now);
        // The list meets the same refusal: where the session is over, the page then asks to sign in.
        if (now.kind === 'refused') latest.current.refresh(true);
      },
      rest: restUntilOnline,
    });
    return () => stop.abort();
  }, [isOn, isVisible, question]);
  return connection;
}

/** The filter of the view without its end, which is now. It stays the same for as long as the question does. */
function queryOf({ endTime: _, ...filter }: ExploreFilter): string {
  const given = Object.entries(filter).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
  return String(new URLSearchParams(given));
}
