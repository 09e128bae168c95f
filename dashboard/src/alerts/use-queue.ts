import { useCallback, useEffect, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { type AlertFieldsFragment, AlertsDocument } from '../../generated/operations';
import type { QueueState } from './queue-state';

export type Alert = AlertFieldsFragment;
export const PAGE_SIZE = 25;

interface Shown {
  readonly items: readonly Alert[];
  readonly totalCount: number;
}

/**
 * A page of alerts. It does not change until the reader asks for another page or reloads it: no row moves under the
 * cursor, not even one that was worked on.
 */
export function useQueue(state: QueueState) {
  const client = useClient();
  const [times, setTimes] = useState(0);
  const [shown, setShown] = useState<Shown | null>(null);
  const [error, setError] = useState<CombinedError | null>(null);
  const [isBusy, setIsBusy] = useState(true);
  const { page, sortBy, status, severity, ruleId, principalName, serverInstanceName } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `times` asks anew
  useEffect(() => {
    let isWanted = true;
    setIsBusy(true);
    const filters = { status, severity, ruleId, principalName, serverInstanceName };
    client
      .query(AlertsDocument, { ...filters, page, pageSize: PAGE_SIZE, sortBy, sortDirection: 'desc' })
      .toPromise()
      .then((answer) => {
        if (!isWanted) return;
        setIsBusy(false);
        setError(answer.error ?? null);
        setShown(answer.data?.alerts ?? null);
      });
    return () => {
      isWanted = false;
    };
  }, [client, times, page, sortBy, status, severity, ruleId, principalName, serverInstanceName]);
  const refresh = useCallback(() => setTimes((before) => before + 1), []);
  /** Shows the new state of an alert in its row. */
  const put = useCallback(
    (alert: Alert) =>
      setShown(
        (before) =>
          before && {
            ...before,
            items: before.items.map((item) => (item.alertId === alert.alertId ? alert : item)),
          },
      ),
    [],
  );
  return { items: shown?.items ?? null, totalCount: shown?.totalCount ?? 0, error, isBusy, refresh, put };
}
