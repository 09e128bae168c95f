import { isSame } from './bytes';

interface TreeHead<Hash> {
  readonly size: number;
  readonly root: Hash;
}

/** Whether the tree of `to` leaves begins with that of `from` (RFC 9162, 2.1.4.2). @param pair the hash of two nodes */
export function leadsOn<Hash extends Uint8Array>(
  from: TreeHead<Hash>,
  to: TreeHead<Hash>,
  proof: readonly Hash[],
  pair: (left: Hash, right: Hash) => Hash,
): boolean {
  if (from.size > to.size) return false;
  if (from.size === to.size) return proof.length === 0 && isSame(from.root, to.root);
  if (from.size === 0) return proof.length === 0;
  const path = isPowerOfTwo(from.size) ? [from.root, ...proof] : proof;
  let [node, last] = [from.size - 1, to.size - 1];
  while (isOdd(node)) [node, last] = [half(node), half(last)];
  const [first, ...rest] = path;
  if (!first) return false;
  let [oldRoot, newRoot] = [first, first];
  for (const other of rest) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      oldRoot = pair(other, oldRoot);
      newRoot = pair(other, newRoot);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else newRoot = pair(newRoot, other);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && isSame(oldRoot, from.root) && isSame(newRoot, to.root);
}

const isPowerOfTwo = (n: number) => 2 ** Math.round(Math.log2(n)) === n;
const isOdd = (n: number) => n % 2 === 1;
const half = (n: number) => Math.floor(n / 2);
