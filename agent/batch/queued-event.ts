import type { AuditRecord } from '../../src/event/audit-record';

/** An event as it goes to the service. It is made JSON once, so that its size is known and memory is not held twice. */
export interface QueuedEvent {
  readonly json: string;
  /** Of the JSON in UTF-8. */
  readonly bytes: number;
  /** ISO 8601 UTC, seven decimals: as text in the order of time. */
  readonly eventTime: string;
}

/** @param sourceType the kind of audit source the record was read from */
export function toQueuedEvent(record: AuditRecord, sourceType: string): QueuedEvent {
  const json = JSON.stringify({ ...record, sourceType });
  return { json, bytes: Buffer.byteLength(json), eventTime: record.eventTime };
}
