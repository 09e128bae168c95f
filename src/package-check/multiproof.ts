/**
 * One proof for several leaves of a Merkle tree (RFC 9162): the hashes of the largest subtrees that have none of these
 * leaves, from left to right. With the leaves they give the root.
 */
type Hash = Uint8Array;

/** The largest power of two below the count, which is 2 or more. */
const splitOf = (count: number): number => 2 ** (Math.ceil(Math.log2(count)) - 1);

/** How many of the places, which ascend, are below a place. */
function below(places: readonly number[], middle: number, from: number, to: number): number {
  let at = from;
  while (at < to && (places[at] as number) < middle) at++;
  return at;
}

/** @param places of the leaves, ascending @param hashOf the hash of the leaves from `start` to `end`, exclusive */
export function otherHashes(
  count: number,
  places: readonly number[],
  hashOf: (start: number, end: number) => Hash,
): Hash[] {
  const found: Hash[] = [];
  const walk = (start: number, end: number, from: number, to: number): void => {
    if (from === to) found.push(hashOf(start, end));
    else if (end - start > 1) {
      const middle = start + splitOf(end - start);
      const at = below(places, middle, from, to);
      walk(start, middle, from, at);
      walk(middle, end, at, to);
    }
  };
  walk(0, count, 0, places.length);
  return found;
}

/**
 * The root that the leaves and the other hashes lead to. Null: they do not fit the tree.
 * @param hashes of the leaves, one for each place
 */
export function rootOfProof(
  count: number,
  places: readonly number[],
  hashes: readonly Hash[],
  others: readonly Hash[],
  pair: (left: Hash, right: Hash) => Hash,
): Hash | null {
  const isInOrder = places.every(
    (place, i) => Number.isInteger(place) && place < count && place > (i === 0 ? -1 : (places[i - 1] ?? 0)),
  );
  if (!isInOrder || hashes.length !== places.length || places.length === 0) return null;
  let next = 0;
  const walk = (start: number, end: number, from: number, to: number): Hash | null => {
    if (from === to) return others[next++] ?? null;
    if (end - start === 1) return hashes[from] ?? null;
    const middle = start + splitOf(end - start);
    const at = below(places, middle, from, to);
    const left = walk(start, middle, from, at);
    const right = left && walk(middle, end, at, to);
    return left && right && pair(left, right);
  };
  const root = walk(0, count, 0, places.length);
  return next === others.length ? root : null;
}
