import type { CheckedEvent } from '../../trail/checked-event';

/** Port: how events are stored. Resolves after the commit. */
export interface AuditEventWriter {
  /** @returns how many of the events were new; the others were stored before, or stand twice in the batch */
  insert(tenantId: number, events: readonly CheckedEvent[]): Promise<number>;
}
