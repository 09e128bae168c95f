import { formatSpan } from '../lib/time';

/** How long an alert or incident waits, or waited until somebody acknowledged it; empty: it is not known. */
export function waitText(
  of: {
    readonly status: string;
    readonly createdAt: string;
    readonly secondsToAcknowledge: number | null;
  },
  nowMs: number,
): string {
  const { status, createdAt, secondsToAcknowledge } = of;
  if (status === 'new') return `waits for ${formatSpan(Math.max(0, nowMs - Date.parse(createdAt)))}`;
  return secondsToAcknowledge === null ? '' : `taken up after ${formatSpan(secondsToAcknowledge * 1_000)}`;
}
