import { UnreadWeek } from '../../store/archive/archive';
import type { ArrivalPlace, Arrivals } from '../../store/log/arrivals/arrival-reader';

/** Where the place of the files itself is away, each further log would cost one more read. */
const LEFT_OUT_MAX = 8;

/**
 * Reads the logs of several tenants. Where the file of a week cannot be read, the log that comes to it is left out: it
 * stays where it is, and no reader misses an event of it.
 * @throws UnreadWeek if no other log has anything, or too many logs come to such weeks
 */
export async function readApart<T>(
  read: (places: readonly ArrivalPlace[]) => Promise<readonly Arrivals<T>[]>,
  places: readonly ArrivalPlace[],
): Promise<readonly Arrivals<T>[]> {
  let rest = places;
  let unread: UnreadWeek | null = null;
  for (let leftOut = 0; leftOut <= LEFT_OUT_MAX && rest.length > 0; leftOut++) {
    const found = await read(rest).catch((error: unknown) => {
      if (error instanceof UnreadWeek) return error;
      throw error;
    });
    if (!(found instanceof UnreadWeek)) {
      if (unread !== null && found.every(({ from, next }) => from === next)) break;
      return found;
    }
    unread = found;
    const { tenantId } = found;
    rest = rest.filter((place) => place.tenantId !== tenantId);
  }
  throw unread ?? new Error('no log was to be read');
}
