import type { QueuedEvent } from './queued-event';

export interface BatchLimits {
  readonly eventsMax: number;
  /** JSON bytes after which a batch is full. */
  readonly bytesMax: number;
  /** How long an event may wait for others to join its batch. */
  readonly ageMaxMs: number;
}

/** Collects events until there are enough of them, in number or bytes, or the first has waited long enough. */
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
