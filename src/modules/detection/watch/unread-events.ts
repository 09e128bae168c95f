import { DAY_MS } from '../../../event/event-time';
import { LIMITS } from '../../../limits';
import type { Unread } from '../../../rules/engine';
import type { HealthAlerts } from './health-alerts';

/**
 * Tells of events at which rules failed. Each has an alert of its own, of a tenant up to a number in a day; one alert
 * tells of the others.
 */
export class UnreadEvents {
  /** By tenant: the events that have an alert, with its time. */
  readonly #told = new Map<number, Map<string, number>>();

  constructor(
    private readonly health: Pick<HealthAlerts, 'tell'>,
    private readonly nowMs: () => number,
  ) {}

  async tell(tenantId: number, unread: readonly Unread[]): Promise<void> {
    const now = this.nowMs();
    const told = this.#told.get(tenantId) ?? new Map<string, number>();
    this.#told.set(tenantId, told);
    for (const [recordId, at] of told) if (Math.abs(now - at) >= DAY_MS) told.delete(recordId);
    const problemOf = (key: string, group: { problem: string; recordId?: string }) =>
      this.health.tell({ tenantId, key, since: new Date(now), group });
    let others = 0;
    for (const { recordId } of unread) {
      const isAlone = told.has(recordId) || told.size < LIMITS.sourceAlertsMax;
      if (!isAlone) others += 1;
      else {
        await problemOf(`unread event ${recordId}`, { problem: 'Rules failed at an event', recordId });
        told.set(recordId, now);
      }
    }
    if (others > 0) await problemOf('more: unread events', { problem: 'Rules failed at further events' });
  }
}
