import { AttentionDocument } from '../../generated/operations';
import { sumOf } from '../alerts/alert-counts';
import { useCriticalNotices, useNotifying } from '../alerts/notify-critical';
import { EVERY_ALERT, useAlertCounts } from '../alerts/use-alert-counts';
import { hasScope } from '../api/rights';
import type { Session } from '../api/session';
import { useTexts } from '../lib/language';
import { serviceNowMs } from '../lib/service-clock';
import { usePolled } from '../lib/use-polled';
import { attentionOf, newAlerts } from './attention';
import { SHELL } from './texts';

const ASK_MS = 60_000;

/**
 * What needs attention, by the path of the view that shows it (nothing if all is well), and the number of new alerts. New
 * critical alerts are shown as notifications to people who want them.
 */
export function useAttention(session: Session): {
  readonly attention: Readonly<Record<string, string>>;
  readonly alerts: number;
} {
  const t = useTexts(SHELL);
  const isOperator = session.kind === 'operator';
  const { data } = usePolled({
    query: AttentionDocument,
    variables: {},
    everyMs: ASK_MS,
    isPaused: !isOperator,
    isAlways: true,
  });
  const isNotifying = useNotifying();
  const { counts } = useAlertCounts(EVERY_ALERT, !hasScope(session, 'read:alerts'), isNotifying);
  useCriticalNotices(counts && sumOf(counts, { status: 'new', severity: 'critical' }), isNotifying);
  return {
    attention: { ...(data ? attentionOf(data, serviceNowMs(), t) : {}), ...newAlerts(counts ?? [], t) },
    alerts: sumOf(counts ?? [], { status: 'new' }),
  };
}
