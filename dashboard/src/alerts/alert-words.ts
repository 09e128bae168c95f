import type { AlertSeverity, AlertStatus, AlertVerdict } from '../../generated/operations';
import type { In } from '../lib/texts';
import type { ALERTS } from './texts';

/** The worst first. */
export const SEVERITY_COLORS = {
  critical: 'red',
  high: 'orange',
  medium: 'yellow',
  low: 'gray',
} as const satisfies Record<AlertSeverity, string>;
export const SEVERITY_NAMES = Object.keys(SEVERITY_COLORS) as AlertSeverity[];

/** In the order of the work. Their words, and those of severities and verdicts, are in the catalogue. */
export const STATUS_NAMES = [
  'new',
  'acknowledged',
  'resolved',
  'suppressed',
] as const satisfies readonly AlertStatus[];
export const VERDICT_NAMES = [
  'true_positive',
  'false_positive',
  'expected',
] as const satisfies readonly AlertVerdict[];

/** The state of the work, with the verdict if there is one. */
export const statusText = (
  of: { readonly status: AlertStatus; readonly verdict: AlertVerdict | null },
  t: In<typeof ALERTS>,
): string => (of.verdict ? t.withVerdict(t[of.status], t[of.verdict]) : t[of.status]);
