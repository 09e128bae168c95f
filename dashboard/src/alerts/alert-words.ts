import type { AlertSeverity, AlertStatus, AlertVerdict } from '../../generated/operations';

/** The worst first. */
export const SEVERITY_COLORS = {
  critical: 'red',
  high: 'orange',
  medium: 'blue',
  low: 'gray',
} as const satisfies Record<AlertSeverity, string>;
export const SEVERITY_NAMES = Object.keys(SEVERITY_COLORS) as AlertSeverity[];

/** In the order of the work. */
export const STATUS_LABELS = {
  new: 'New',
  acknowledged: 'Acknowledged',
  resolved: 'Resolved',
  suppressed: 'Suppressed',
} as const satisfies Record<AlertStatus, string>;
export const STATUS_NAMES = Object.keys(STATUS_LABELS) as AlertStatus[];

export const VERDICT_LABELS = {
  true_positive: 'True positive',
  false_positive: 'False positive',
  expected: 'Expected',
} as const satisfies Record<AlertVerdict, string>;

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The state of the work, with the verdict if there is one. */
export function statusText({
  status,
  verdict,
}: {
  readonly status: AlertStatus;
  readonly verdict: AlertVerdict | null;
}): string {
  return verdict
    ? `${STATUS_LABELS[status]}: ${VERDICT_LABELS[verdict].toLowerCase()}`
    : STATUS_LABELS[status];
}
