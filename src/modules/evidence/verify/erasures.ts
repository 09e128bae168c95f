import { type Erasure, erasureLeaf, parseErasure } from '../../../store/log/evidence/erasure-entry';

/** A stated erasure, and its index in the log. */
interface Found {
  readonly erasure: Erasure;
  readonly place: number;
}

/**
 * Finds the erasures that a log has entries for. Nobody can state others: only the service adds such entries.
 * @param placesOf the indexes of the entries under an id, with their leaf hashes
 * @param size entries from this index on do not count
 */
export function erasuresIn(
  tenantId: string,
  texts: readonly string[],
  size: number,
  placesOf: (erasureId: string) => readonly { readonly place: number; readonly hash: Buffer }[],
): readonly Found[] {
  const found: Found[] = [];
  for (const text of texts) {
    const erasure = parseErasure(text);
    if (!erasure || erasure.tenantId !== tenantId) continue;
    const leaf = erasureLeaf(text);
    const place = placesOf(erasure.erasureId).find((one) => one.place < size && one.hash.equals(leaf))?.place;
    // It can only name what was there.
    const isSound = place !== undefined && (erasure.entries.at(-1)?.[1] ?? 0) <= place;
    if (isSound) found.push({ erasure, place });
  }
  return found;
}
