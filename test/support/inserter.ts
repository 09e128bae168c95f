import { PostgresAuditEventWriter } from '../../src/modules/ingest/stored-writer';
import type { CheckedEvent } from '../../src/store/bytes/checked-event';
import { EventBytes } from '../../src/store/bytes/event-bytes';

/** A writer that gets all events of a batch at once. */
export class Inserter extends PostgresAuditEventWriter {
  /** @returns how many of the events were new */
  insert(tenantId: number, events: readonly CheckedEvent[]): Promise<number> {
    const batch = this.open(tenantId);
    const bytes = new EventBytes();
    for (const event of events) batch.add(bytes.of(event));
    return batch.store();
  }
}
