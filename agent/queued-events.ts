/**
 * Events as they are sent to the service: their JSON in UTF-8, one after the other in one buffer, each followed by a
 * comma. No event becomes an object.
 */
export class QueuedEvents {
  /**
   * @param memory the buffer that holds the events
   * @param starts where each event begins, and behind them where the next one would begin
   * @param newestTime event time of the newest event, ISO 8601 UTC with seven decimals; null if there is none
   */
  constructor(
    readonly memory: Buffer,
    private readonly starts: readonly number[],
    readonly newestTime: string | null,
    private readonly from = 0,
    private readonly to = starts.length - 1,
  ) {}

  get length(): number {
    return this.to - this.from;
  }

  /** The place of an event among all events of the buffer. */
  placeOf(index: number): number {
    return this.from + index;
  }

  /** The JSON of all events with commas between them. */
  get json(): Buffer {
    return this.jsonBetween(this.from, this.to);
  }

  /** The JSON of one event. */
  jsonOf(index: number): string {
    return this.jsonBetween(this.from + index, this.from + index + 1).toString();
  }

  /** Bytes of the JSON of one event. */
  sizeOf(index: number): number {
    return this.start(this.from + index + 1) - this.start(this.from + index) - 1;
  }

  /** The events from one index to another. */
  slice(from: number, to: number): QueuedEvents {
    return new QueuedEvents(this.memory, this.starts, this.newestTime, this.from + from, this.from + to);
  }

  private jsonBetween(from: number, to: number): Buffer {
    return to <= from ? NOTHING : this.memory.subarray(this.start(from), this.start(to) - 1);
  }

  private start(index: number): number {
    return this.starts[index] ?? 0;
  }
}

const NOTHING = Buffer.alloc(0);
export const NO_EVENTS = new QueuedEvents(NOTHING, [0], null);

export interface RequestLimits {
  readonly eventsMax: number;
  /** The most JSON bytes of the events of one request. A larger event is sent alone. */
  readonly bytesMax: number;
}

/** The events in order, in groups that fit into one request each. */
export function splitIntoRequests(events: QueuedEvents, limits: RequestLimits): readonly QueuedEvents[] {
  const groups: QueuedEvents[] = [];
  let first = 0;
  let bytes = 0;
  for (let i = 0; i < events.length; i++) {
    const size = events.sizeOf(i);
    const isFull = i - first >= limits.eventsMax || bytes + size > limits.bytesMax;
    if (isFull && i > first) {
      groups.push(events.slice(first, i));
      first = i;
      bytes = 0;
    }
    bytes += size;
  }
  if (events.length > first) groups.push(events.slice(first, events.length));
  return groups;
}
