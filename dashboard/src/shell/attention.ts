import type { AttentionQuery } from '../../generated/operations';
import { type AlertCount, sumOf } from '../alerts/alert-counts';
import type { In } from '../lib/texts';
import { expiresSoon } from '../operate/key-life';
import type { SHELL } from './texts';

/** `12 new, 2 critical`, by the path of the view. */
export function newAlerts(counts: readonly AlertCount[], t: In<typeof SHELL>): Record<string, string> {
  const all = sumOf(counts, { status: 'new' });
  const critical = sumOf(counts, { status: 'new', severity: 'critical' });
  if (all === 0) return {};
  return { '/alerts': t.newAlerts(all, critical) };
}

/** What needs the attention of operators, by the path of the view that shows it. */
export function attentionOf(
  { auditSourceList, apiKeys, destinations }: AttentionQuery,
  nowMs: number,
  t: In<typeof SHELL>,
): Record<string, string> {
  const { states, withGaps } = auditSourceList;
  const withProblem = states
    .filter(({ state }) => state === 'stale' || state === 'problem')
    .reduce((sum, { sources }) => sum + sources, 0);
  const expiring = apiKeys.filter((key) => expiresSoon(key, nowMs)).length;
  const failing = destinations.filter(({ state }) => state === 'failing').length;
  const overtaken = destinations.filter(({ behindRetention }) => behindRetention > 0).length;
  const sending = [
    ...(failing > 0 ? [t.failing(failing)] : []),
    ...(overtaken > 0 ? [t.behindRetention(overtaken)] : []),
  ];
  const sources = [
    ...(withProblem > 0 ? [t.withProblem(withProblem)] : []),
    ...(withGaps > 0 ? [t.withGaps(withGaps)] : []),
  ];
  return {
    ...(sources.length > 0 ? { '/sources': sources.join(', ') } : {}),
    ...(sending.length > 0 ? { '/destinations': sending.join(', ') } : {}),
    ...(expiring > 0 ? { '/keys': t.expireSoon(expiring) } : {}),
  };
}
