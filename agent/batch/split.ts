import type { QueuedEvent } from './queued-event';

export interface RequestLimits {
  readonly eventsMax: number;
  /** JSON bytes of all events of one request; an event that is larger on its own goes alone. */
  readonly bytesMax: number;
}

/** The events in order, in groups that one request each can carry. */
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
