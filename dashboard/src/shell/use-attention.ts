import { useInterval } from '@mantine/hooks';
import { useQuery } from 'urql';
import { AttentionDocument } from '../../generated/operations';
import { EVERY_ALERT, useAlertCounts } from '../alerts/use-alert-counts';
import { hasScope } from '../api/rights';
import type { Session } from '../api/session';
import { attentionOf, newAlerts } from './attention';

const ASK_MS = 60_000;

/** What needs attention, by the path of the view that shows it; nothing if all is well. */
export function useAttention(session: Session): Readonly<Record<string, string>> {
  const isOperator = session.kind === 'operator';
  const [{ data }, ask] = useQuery({
    query: AttentionDocument,
    pause: !isOperator,
  });
  useInterval(() => isOperator && ask(), ASK_MS, { autoInvoke: true });
  const { counts } = useAlertCounts(EVERY_ALERT, !hasScope(session, 'read:alerts'));
  return { ...(data ? attentionOf(data, Date.now()) : {}), ...newAlerts(counts ?? []) };
}
