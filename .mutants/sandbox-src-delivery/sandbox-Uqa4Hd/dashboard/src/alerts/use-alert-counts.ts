import { useInterval } from '@mantine/hooks';
import { useQuery } from 'urql';
import { AlertCountsDocument, type AlertCountsQuery, type AlertStatus } from '../../generated/operations';

export type AlertCount = AlertCountsQuery['alertCounts'][number];

const ASK_MS = 20_000;
/** No filter. */
export const EVERY_ALERT = { principalName: null, serverInstanceName: null } as const;

/** Counts of alerts by state, severity and rule, refreshed at an interval while the page is visible. */
export function useAlertCounts(
  filters: { readonly principalName?: string | null; readonly serverInstanceName?: string | null },
  pause = false,
) {
  const [{ data, error }, ask] = useQuery({
    query: AlertCountsDocument,
    variables: filters,
    requestPolicy: 'network-only',
    pause,
  });
  useInterval(() => !pause && !document.hidden && ask(), ASK_MS, { autoInvoke: true });
  return { counts: data?.alertCounts ?? null, error, ask };
}

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
