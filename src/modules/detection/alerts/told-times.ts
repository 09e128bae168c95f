import type { Row } from '../../../database/clients';

/** What answers say of the time until a person acknowledged an alert or incident. */
export function toldTimesOf(row: Row) {
  const at = row.acknowledged_at === null ? null : new Date(row.acknowledged_at as string | Date);
  const made = new Date(row.created_at as string | Date).getTime();
  return {
    acknowledgedAt: at?.toISOString() ?? null,
    secondsToAcknowledge: at ? Math.max(0, Math.round((at.getTime() - made) / 1_000)) : null,
  };
}
