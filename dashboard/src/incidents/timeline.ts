import type { Incident, PlacedEvent } from './incident';

type Line = Incident['timeline'][number];
type Entry =
  | { readonly line: Line; readonly event?: never }
  | { readonly line?: never; readonly event: PlacedEvent };

const timeOf = ({ line, event }: Entry): string => line?.firstEventTime ?? event?.event.eventTime ?? '';

/** What happened in an incident, in the order of time: the lines of its alerts, and the events that people put into it. */
export function timelineOf(
  { timeline }: Pick<Incident, 'timeline'>,
  placed: readonly PlacedEvent[],
): readonly Entry[] {
  const entries: Entry[] = [...timeline.map((line) => ({ line })), ...placed.map((event) => ({ event }))];
  return entries.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0));
}
