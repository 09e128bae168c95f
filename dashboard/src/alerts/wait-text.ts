import type { In } from '../lib/texts';
import { formatSpan } from '../lib/time';
import type { ALERTS } from './texts';

/** How long an alert or incident waits, or waited until somebody acknowledged it; empty: it is not known. */
export function waitText(
  of: {
    readonly status: string;
    readonly createdAt: string;
    readonly secondsToAcknowledge: number | null;
  },
  nowMs: number,
  t: In<typeof ALERTS>,
): string {
  const { status, createdAt, secondsToAcknowledge } = of;
  if (status === 'new') return t.waitsFor(formatSpan(Math.max(0, nowMs - Date.parse(createdAt))));
  return secondsToAcknowledge === null ? '' : t.takenUpAfter(formatSpan(secondsToAcknowledge * 1_000));
}
