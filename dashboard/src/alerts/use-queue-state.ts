import { useCallback } from 'react';
import type { Address } from '../lib/address';
import { useAddress } from '../lib/use-address';
import { formatQueue, parseQueue, type QueueChange, type QueueState } from './queue-state';

const QUEUE: Address<QueueState> = { parse: parseQueue, format: formatQueue };

/** The state of the queue in the address. Each change but one of the page shows the first page. */
export function useQueueState(): [QueueState, (change: QueueChange) => void] {
  const [state, setState] = useAddress(QUEUE);
  const change = useCallback(
    (patch: QueueChange) => setState((now) => ({ ...now, page: 1, ...patch })),
    [setState],
  );
  return [state, change];
}
