import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { isOwnDrawer, stepOf, take } from '../lib/drawer-step';
import { type ExploreState, formatState, parseState } from './explore-state';

export type Change = Partial<ExploreState>;

/** The state in the URL, and how to change it. Each change is a step of the browser's history; an open drawer is one step. */
export function useExploreState(): [ExploreState, (change: Change) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const state = useMemo(() => parseState(search), [search]);
  const change = useCallback(
    (patch: Change) => {
      // With another filter or order, the page number of before means nothing.
      const staysOnPage = 'page' in patch || 'columns' in patch || 'event' in patch;
      const movesOn = 'range' in patch || 'filter' in patch || 'search' in patch;
      const now = parseState(location.search);
      const next = {
        ...now,
        ...(staysOnPage ? {} : { page: 1 }),
        ...(movesOn ? { around: null } : {}),
        ...patch,
      };
      const query = formatState(next);
      const isDrawerAlone = Object.keys(patch).join() === 'event';
      const step = isDrawerAlone ? stepOf(now.event, next.event, isOwnDrawer(history.state)) : 'push';
      take(step, (options) => navigate(query ? `${path}?${query}` : path, options));
    },
    [navigate, path],
  );
  return [state, change];
}
