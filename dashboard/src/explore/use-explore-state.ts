import { useCallback, useMemo } from 'react';
import type { Address } from '../lib/address';
import { useAddress } from '../lib/use-address';
import { COLUMNS_DEFAULT, type ExploreState, formatState, isColumn, parseState } from './explore-state';
import { useOwnColumns } from './own-columns';

export type Change = Partial<ExploreState>;

const EXPLORE: Address<ExploreState> = { parse: parseState, format: formatState, drawer: 'event' };

/** The state of Explore in the address, and how to change it. */
export function useExploreState(): [ExploreState, (change: Change) => void] {
  const [named, setState] = useAddress(EXPLORE);
  const [own] = useOwnColumns();
  const columns = named.columns.join() === COLUMNS_DEFAULT.join() ? own.join() : named.columns.join();
  const state = useMemo(
    (): ExploreState => ({ ...named, columns: columns.split(',').filter(isColumn) }),
    [named, columns],
  );
  const change = useCallback(
    (patch: Change) => {
      // With another filter or order, the page number of before means nothing.
      const staysOnPage = 'page' in patch || 'columns' in patch || 'event' in patch || 'chart' in patch;
      const movesOn = 'range' in patch || 'filter' in patch || 'search' in patch;
      setState((now) => ({
        ...now,
        ...(staysOnPage ? {} : { page: 1 }),
        ...(movesOn ? { around: null } : {}),
        ...patch,
      }));
    },
    [setState],
  );
  return [state, change];
}
