import { useCallback, useState } from 'react';
import { useClient } from 'urql';
import { type AlertFieldsFragment, AlertsDocument } from '../../generated/operations';
import { noAnswer } from '../api/errors';
import { useAgain } from '../lib/use-again';
import { useAnswer } from '../lib/use-answer';
import type { QueueState } from './queue-state';

export type Alert = AlertFieldsFragment;
export const PAGE_SIZE = 25;

/**
 * A page of alerts. It does not change until the reader asks for another page or reloads it: no row moves under the
 * cursor, not even one that was worked on. A page that failed is asked for again.
 */
export function useQueue(state: QueueState) {
  const client = useClient();
  const [times, setTimes] = useState(0);
  const { answer, error, isBusy, change } = useAnswer({ state, times }, async ({ state: asked }) => {
    const variables = { ...asked, pageSize: PAGE_SIZE, sortDirection: 'desc' };
    const { data, error: failure } = await client.query(AlertsDocument, variables).toPromise();
    if (failure || !data) throw failure ?? noAnswer();
    return data.alerts;
  });
  const refresh = useCallback(() => setTimes((before) => before + 1), []);
  useAgain(error, refresh);
  /** Shows the new state of an alert in its row. */
  const put = useCallback(
    (alert: Alert) =>
      change((shown) => ({
        ...shown,
        items: shown.items.map((item) => (item.alertId === alert.alertId ? alert : item)),
      })),
    [change],
  );
  return { items: answer?.items ?? null, totalCount: answer?.totalCount ?? 0, error, isBusy, refresh, put };
}
