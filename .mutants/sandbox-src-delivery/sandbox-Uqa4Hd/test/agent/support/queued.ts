import { QueuedEvents } from '../../../agent/queued-events';

/** Queued events with this JSON. */
export function queued(...jsons: readonly string[]): QueuedEvents {
  let at = 0;
  const starts = [0, ...jsons.map((json) => (at += Buffer.byteLength(json) + 1))];
  return new QueuedEvents(Buffer.from(jsons.map((json) => `${json},`).join('')), starts, null);
}

export const jsonsOf = (events: QueuedEvents): readonly string[] =>
  Array.from({ length: events.length }, (_, i) => events.jsonOf(i));
