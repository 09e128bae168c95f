import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { type Address, stepBetween } from './address';
import { isOwnDrawer, take } from './drawer-step';

/** The state in the address, and how to change it. Each change is a step of the history; an open drawer is one step. */
export function useAddress<S>(address: Address<S>): [S, (change: (now: S) => S) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const state = useMemo(() => address.parse(search), [address, search]);
  const change = useCallback(
    (of: (now: S) => S) => {
      const now = address.parse(location.search);
      const next = of(now);
      const query = address.format(next);
      take(stepBetween(address, now, next, isOwnDrawer(history.state)), (options) =>
        navigate(query ? `${path}?${query}` : path, options),
      );
    },
    [address, navigate, path],
  );
  return [state, change];
}

/** The query string of the address, for the way to another page. */
export const useQueryString = (): string => useSearch();
