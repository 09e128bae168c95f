import type { AlertCountsQuery, AlertStatus } from '../../generated/operations';

export type AlertCount = AlertCountsQuery['alertCounts'][number];

type Wanted = Partial<Pick<AlertCount, 'severity' | 'ruleId'>> & { readonly status?: AlertStatus };

/** The number of alerts that match all given values. */
export const sumOf = (counts: readonly AlertCount[], wanted: { [N in keyof Wanted]: Wanted[N] | null }) =>
  counts
    .filter(
      ({ status, severity, ruleId }) =>
        (wanted.status ?? status) === status &&
        (wanted.severity ?? severity) === severity &&
        (wanted.ruleId ?? ruleId) === ruleId,
    )
    .reduce((sum, { alerts }) => sum + alerts, 0);
