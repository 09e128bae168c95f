import { UnreadWeek } from '../../store/archive/archive';
import type { ArrivalPlace, Arrivals } from '../../store/log/arrivals/arrival-reader';

/**
 * Reads the logs of several tenants. Where the file of a week cannot be read, the log that comes to it is left out: it
 * stays where it is, and no reader misses an event of it.
 * @param isOver whether the time is over in which more than one log may be left out
 * @param unread why a log was left out; not given: none was
 * @throws UnreadWeek if no other log has anything, or the time is over
 */
export async function readApart<T>(
  read: (places: readonly ArrivalPlace[]) => Promise<readonly Arrivals<T>[]>,
  places: readonly ArrivalPlace[],
  isOver: () => boolean,
  unread: UnreadWeek | null = null,
): Promise<readonly Arrivals<T>[]> {
  try {
    const found = await read(places);
    if (unread !== null && found.every(({ from, next }) => from === next)) throw unread;
    return found;
  } catch (error) {
    if (!(error instanceof UnreadWeek) || error === unread) throw error;
    const rest = places.filter(({ tenantId }) => tenantId !== error.tenantId);
    if (rest.length === 0 || (unread !== null && isOver())) throw error;
    return readApart(read, rest, isOver, error);
  }
}
