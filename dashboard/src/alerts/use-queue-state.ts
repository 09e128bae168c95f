import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { formatQueue, parseQueue, type QueueChange, type QueueState } from './queue-state';

/** The state in the URL, and how to change it; each change is a step of the browser's history. */
export function useQueueState(): [QueueState, (change: QueueChange) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const state = useMemo(() => parseQueue(search), [search]);
  const change = useCallback(
    (patch: QueueChange) => {
      const query = formatQueue({ ...parseQueue(location.search), page: 1, ...patch });
      navigate(query ? `${path}?${query}` : path);
    },
    [navigate, path],
  );
  return [state, change];
}
