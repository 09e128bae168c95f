import { z } from 'zod';
import { formatTicks, LAST_TICKS, parseTicks } from '../../src/event/event-time';
import { type Gap, toGap } from '../gaps/gap';
import type { QueuedEvents } from '../queued-events';

/** Why the service refused an event for good. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}
/** By the place of the event in its batch. */
export type Refusals = ReadonlyMap<number, Refusal>;

const eventPlace = z.object({
  file: z.string(),
  fileGuid: z.string(),
  blockOffset: z.number(),
  index: z.number(),
  eventTime: z.string(),
});
type EventPlace = z.infer<typeof eventPlace>;

/** The gaps that refused events leave: one for each file and code. Each is a part of the trail that is not stored. */
export function gapsOf(
  events: QueuedEvents,
  refusals: Refusals,
  { database, keptIn, nowMs }: { readonly database: string; readonly keptIn: string; readonly nowMs: number },
): Gap[] {
  const groups = new Map<string, { readonly refusal: Refusal; readonly places: EventPlace[] }>();
  for (const [at, refusal] of refusals) {
    const place = eventPlace.parse(JSON.parse(events.jsonOf(at)));
    const key = JSON.stringify([place.fileGuid, refusal.code]);
    const group = groups.get(key);
    if (group) group.places.push(place);
    else groups.set(key, { refusal, places: [place] });
  }
  return [...groups.values()].map(({ refusal: { code, message }, places }) => {
    const sorted = places.toSorted((a, b) => a.blockOffset - b.blockOffset || a.index - b.index);
    const [first, last] = [sorted[0], sorted.at(-1)] as [EventPlace, EventPlace];
    const times = places.map(({ eventTime }) => eventTime).sort();
    const count = places.length === 1 ? '1 event' : `${places.length} events`;
    return toGap({
      database,
      reason: 'REJECTED',
      fileName: first.file,
      fileGuid: first.fileGuid,
      detectedAtMs: nowMs,
      range: `${code}, events ${positionOf(first)} to ${positionOf(last)}`,
      detail: `the service refused ${count} of ${times[0]} and later, from ${positionOf(first)} to ${positionOf(last)}: ${code}: ${message}; kept in ${keptIn}`,
      afterTime: times[0] ?? null,
      beforeTime: justAfter(times.at(-1) ?? ''),
    });
  });
}

const positionOf = ({ blockOffset, index }: EventPlace) => `${blockOffset}:${index}`;

/** The next 100 ns: the gap ends behind the event. */
function justAfter(time: string): string | null {
  const ticks = parseTicks(time);
  return ticks === null || ticks >= LAST_TICKS ? null : formatTicks(ticks + 1n);
}

/** The event time of the newest event that was not refused; null: there is none. */
export function newestStored(events: QueuedEvents, refusals: Refusals): string | null {
  if (refusals.size === 0) return events.newestTime;
  let newest: string | null = null;
  for (let at = 0; at < events.length; at++) {
    if (refusals.has(at)) continue;
    const { eventTime } = eventPlace.pick({ eventTime: true }).parse(JSON.parse(events.jsonOf(at)));
    if (newest === null || eventTime > newest) newest = eventTime;
  }
  return newest;
}
