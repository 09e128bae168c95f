import { UnreadWeek } from '../../store/archive/archive';
import type { ArrivalLimits, ArrivalPlace, Arrivals } from '../../store/log/arrivals/arrival-reader';

type Read<T> = (places: readonly ArrivalPlace[], limits: ArrivalLimits) => Promise<readonly Arrivals<T>[]>;

/**
 * Reads the logs of several tenants. Where the file of a week cannot be read, the logs that come to it are left out: they
 * stay where they are, and no reader misses an event of them.
 * @throws UnreadWeek if no log has anything else
 */
export async function readApart<T>(
  read: Read<T>,
  places: readonly ArrivalPlace[],
  limits: ArrivalLimits,
): Promise<readonly Arrivals<T>[]> {
  const share = (all: number) => Math.max(1, Math.floor(all / places.length));
  const shares = {
    ...limits,
    positions: share(limits.positions),
    events: share(limits.events),
    bytes: share(limits.bytes),
  };
  try {
    return await read(places, limits);
  } catch (unread) {
    if (!(unread instanceof UnreadWeek)) throw unread;
    const found: Arrivals<T>[] = [];
    for (const place of places)
      try {
        found.push(...(await read([place], shares)));
      } catch (error) {
        if (!(error instanceof UnreadWeek)) throw error;
      }
    if (found.every(({ from, next }) => from === next)) throw unread;
    return found;
  }
}
