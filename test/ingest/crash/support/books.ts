import { isDeepStrictEqual } from 'node:util';
import type { IngestedEvent } from '../../../support/events';
import { placeOf, type StoredEvent } from './stored-events';

/** A batch that a sender sends, once or repeatedly. */
export interface Batch {
  readonly tenantId: string;
  readonly events: readonly IngestedEvent[];
  isAcknowledged: boolean;
}

/**
 * Records what was sent for each tenant and what the service acknowledged, in the test's process, which is not killed.
 */
export class Books {
  readonly #batches = new Map<string, Batch[]>();
  readonly problems: string[] = [];
  #acknowledged = 0;

  open(tenantId: string, events: readonly IngestedEvent[]): Batch {
    const batch = { tenantId, events, isAcknowledged: false };
    this.#batches.set(tenantId, [...this.of(tenantId), batch]);
    return batch;
  }

  acknowledge(batch: Batch): void {
    batch.isAcknowledged = true;
    this.#acknowledged++;
  }

  /** The number of acknowledged batches of all tenants. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  of(tenantId: string): readonly Batch[] {
    return this.#batches.get(tenantId) ?? [];
  }

  sentEvents(tenantId: string): number {
    return countOf(this.of(tenantId));
  }

  acknowledgedEvents(tenantId: string): number {
    return countOf(this.of(tenantId).filter(({ isAcknowledged }) => isAcknowledged));
  }

  /** @returns one sentence for each difference between the stored events and the sent ones */
  compare(tenantId: string, rows: readonly StoredEvent[]): string[] {
    const problems: string[] = [];
    const stored = new Map(rows.map(({ event }) => [placeOf(event), event]));
    const unexplained = new Set(stored.keys());
    if (stored.size < rows.length) problems.push(`${rows.length - stored.size} events are stored twice`);
    for (const { events, isAcknowledged } of this.of(tenantId)) {
      const there = events.filter((event) => unexplained.delete(placeOf(event)));
      const isHalf = there.length > 0 && there.length < events.length;
      if (isHalf) problems.push(`of a batch of ${events.length} events ${there.length} are stored`);
      if (isAcknowledged && there.length === 0)
        problems.push(`an acknowledged batch of ${events.length} events is lost`);
      for (const sent of there) {
        const found = stored.get(placeOf(sent));
        if (!isDeepStrictEqual(found, sent))
          problems.push(`stored is ${JSON.stringify(found)}, sent was ${JSON.stringify(sent)}`);
      }
    }
    if (unexplained.size > 0) problems.push(`${unexplained.size} stored events were never sent`);
    return problems;
  }
}

const countOf = (batches: readonly Batch[]) => batches.reduce((sum, { events }) => sum + events.length, 0);
