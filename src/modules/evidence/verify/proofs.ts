import { isConsistent } from '../../../store/log/evidence/merkle';
import { TILE_WIDTH } from '../../../store/log/evidence/tiles';
import { rootsAt } from './checkpoints';
import type { LogCopy } from './log-copy';

/** Entries below one tile of level 1. */
const SPAN = TILE_WIDTH ** 2;

/**
 * Sizes from which to ask for proofs of consistency, so that these take in every hash above the entries. From the first
 * entry of a span, a proof takes in all hashes of its tile but the first one; from the second tile of entries, the first.
 */
export function proofsToAsk(size: number): number[] {
  const sizes: number[] = [];
  for (let start = 0; start < size && size >= TILE_WIDTH; start += SPAN)
    for (const from of [start + 1, start + TILE_WIDTH + 1]) if (from < size) sizes.push(from);
  return sizes;
}

/** @returns a sentence if the proofs that the service gave do not fit the entries */
export function checkProofs({ proofs, leafHashes }: LogCopy): string[] {
  const sizes = [...new Set(proofs.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const roots = new Map(rootsAt(sizes, leafHashes).map((root, i) => [sizes[i] as number, root]));
  const wrong = proofs.find(({ from, to, hashes }) => {
    const [older, newer] = [roots.get(from), roots.get(to)];
    const proof = hashes?.map((hash) => Buffer.from(hash, 'base64'));
    return (
      !older ||
      !newer ||
      !proof ||
      !isConsistent({ size: from, root: older }, { size: to, root: newer }, proof)
    );
  });
  return wrong
    ? [
        `the service does not prove that its ${wrong.to} entries begin with the first ${wrong.from}: an entry, or a hash of an upper level of the log, was changed`,
      ]
    : [];
}
