/**
 * Events as they go to the service: their JSON in UTF-8, one after the other in one buffer, each with a comma behind it.
 * No object is made of an event.
 */
export class QueuedEvents {
  /**
   * @param memory that they are in
   * @param starts where each event begins, and at last where the next one would
   * @param newestTime event time of the newest of them, ISO 8601 UTC with seven decimals; null where there is none
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

  /** Their JSON with commas between them. */
  get json(): Buffer {
    return this.jsonBetween(this.from, this.to);
  }

  /** The JSON of one of them. */
  jsonOf(index: number): string {
    return this.jsonBetween(this.from + index, this.from + index + 1).toString();
  }

  /** Bytes of the JSON of one of them. */
  sizeOf(index: number): number {
    return this.start(this.from + index + 1) - this.start(this.from + index) - 1;
  }

  /** Some of them. */
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
  /** JSON bytes of all events of one request. An event that is larger goes alone. */
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
