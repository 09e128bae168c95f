import type { AttentionQuery } from '../../generated/operations';
import { type AlertCount, sumOf } from '../alerts/alert-counts';
import { formatCount } from '../lib/numbers';
import { expiresSoon } from '../operate/key-life';

/** `12 new, 2 critical`, by the path of the view. */
export function newAlerts(counts: readonly AlertCount[]): Record<string, string> {
  const all = sumOf(counts, { status: 'new' });
  const critical = sumOf(counts, { status: 'new', severity: 'critical' });
  if (all === 0) return {};
  return { '/alerts': `${formatCount(all)} new${critical > 0 ? `, ${formatCount(critical)} critical` : ''}` };
}

/** What needs the attention of operators, by the path of the view that shows it. */
export function attentionOf(
  { auditSourceList, apiKeys, destinations }: AttentionQuery,
  nowMs: number,
): Record<string, string> {
  const { states, withGaps } = auditSourceList;
  const withProblem = states
    .filter(({ state }) => state === 'stale' || state === 'problem')
    .reduce((sum, { sources }) => sum + sources, 0);
  const expiring = apiKeys.filter((key) => expiresSoon(key, nowMs)).length;
  const failing = destinations.filter(({ state }) => state === 'failing').length;
  const overtaken = destinations.filter(({ behindRetention }) => behindRetention > 0).length;
  const sending = [
    ...(failing > 0 ? [`${failing} failing`] : []),
    ...(overtaken > 0 ? [`${overtaken} behind retention`] : []),
  ];
  const sources = [
    ...(withProblem > 0 ? [`${withProblem} with a problem`] : []),
    ...(withGaps > 0 ? [`${withGaps} with gaps`] : []),
  ];
  return {
    ...(sources.length > 0 ? { '/sources': sources.join(', ') } : {}),
    ...(sending.length > 0 ? { '/destinations': sending.join(', ') } : {}),
    ...(expiring > 0 ? { '/keys': `${expiring} ${expiring === 1 ? 'expires' : 'expire'} soon` } : {}),
  };
}
