import type { AuditRecord } from '../src/event/audit-record';

/** An event as it goes to the service. It is made JSON once: its size is known then, and memory does not hold it twice. */
export interface QueuedEvent {
  readonly json: string;
  /** Size of the JSON in UTF-8. */
  readonly bytes: number;
  /** ISO 8601 UTC with seven decimals: texts sort as the times do. */
  readonly eventTime: string;
}

/** @param sourceType the kind of source that the record was read from */
export function toQueuedEvent(record: AuditRecord, sourceType: string): QueuedEvent {
  const json = JSON.stringify({ ...record, sourceType });
  return { json, bytes: Buffer.byteLength(json), eventTime: record.eventTime };
}

export interface BatchLimits {
  readonly eventsMax: number;
  /** JSON bytes after which a batch is full. */
  readonly bytesMax: number;
  /** How long an event may wait for others to join its batch. */
  readonly ageMaxMs: number;
}

/** Collects events until they are enough, in number or bytes, or the first has waited long enough. */
export class Batcher {
  private events: QueuedEvent[] = [];
  private bytes = 0;
  private firstAtMs = 0;

  constructor(private readonly limits: BatchLimits) {}

  add(event: QueuedEvent, nowMs: number): void {
    if (this.events.length === 0) this.firstAtMs = nowMs;
    this.events.push(event);
    this.bytes += event.bytes;
  }

  get isFull(): boolean {
    return this.events.length >= this.limits.eventsMax || this.bytes >= this.limits.bytesMax;
  }

  /** When the batch must go at the latest; null while it is empty. */
  get dueAtMs(): number | null {
    return this.events.length === 0 ? null : this.firstAtMs + this.limits.ageMaxMs;
  }

  take(): readonly QueuedEvent[] {
    const { events } = this;
    this.events = [];
    this.bytes = 0;
    return events;
  }
}

export interface RequestLimits {
  readonly eventsMax: number;
  /** JSON bytes of all events of one request. An event that is larger goes alone. */
  readonly bytesMax: number;
}

/** The events in order, in groups that fit into one request each. */
export function splitIntoRequests(
  events: readonly QueuedEvent[],
  limits: RequestLimits,
): readonly (readonly QueuedEvent[])[] {
  const groups: QueuedEvent[][] = [];
  let group: QueuedEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const isFull = group.length >= limits.eventsMax || bytes + event.bytes > limits.bytesMax;
    if (isFull && group.length > 0) {
      groups.push(group);
      group = [];
      bytes = 0;
    }
    group.push(event);
    bytes += event.bytes;
  }
  if (group.length > 0) groups.push(group);
  return groups;
}
