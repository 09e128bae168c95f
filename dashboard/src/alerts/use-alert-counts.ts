import { AlertCountsDocument } from '../../generated/operations';
import { usePolled } from '../lib/use-polled';

const ASK_MS = 20_000;
/** No filter. */
export const EVERY_ALERT = { principalName: null, serverInstanceName: null } as const;

/** Counts of alerts by state, severity and rule, refreshed at an interval while the page is visible, or always. */
export function useAlertCounts(
  filters: { readonly principalName?: string | null; readonly serverInstanceName?: string | null },
  pause = false,
  isAlways = false,
) {
  const { data, error, ask } = usePolled({
    query: AlertCountsDocument,
    variables: filters,
    everyMs: ASK_MS,
    isPaused: pause,
    isAlways,
  });
  return { counts: data?.alertCounts ?? null, error, ask };
}
