import { hash } from 'node:crypto';
import { ID_BYTES, idHex } from '../../event/record-id';
import { HASH_BYTES, hashOfPair, rootOfHashes } from '../../store/log/evidence/merkle';

/** RFC 9162 puts this byte before every leaf. */
const LEAF = 0;

/** Leaves that wait to be hashed together. A power of two. */
const LEAVES = 1_024;

/** The Merkle root (RFC 9162) over record ids, 16 bytes each, which come one after the other. */
export class RunningRoot {
  /** The roots of whole subtrees, the largest first. */
  readonly #roots: { readonly leaves: number; readonly root: Buffer }[] = [];
  /** The hashes of the leaves behind those subtrees. */
  readonly #last = Buffer.alloc(LEAVES * HASH_BYTES);
  #count = 0;
  readonly #leaf = Buffer.alloc(1 + ID_BYTES, LEAF);

  add(recordId: string): void {
    this.#leaf.write(idHex(recordId), 1, 'hex');
    this.#last.write(hash('sha256', this.#leaf, 'binary'), this.#count * HASH_BYTES, 'binary');
    if (++this.#count === LEAVES) this.#join();
  }

  #join(): void {
    let leaves = LEAVES;
    let root = rootOfHashes(this.#last);
    for (let last = this.#roots.at(-1); last?.leaves === leaves; last = this.#roots.at(-1)) {
      this.#roots.pop();
      root = hashOfPair(last.root, root);
      leaves *= 2;
    }
    this.#roots.push({ leaves, root });
    this.#count = 0;
  }

  /** In hexadecimal. */
  get root(): string {
    const [last, ...others] = [...this.#roots.map(({ root }) => root), ...this.#lastRoots()].reverse();
    if (!last) return hash('sha256', '', 'hex');
    return others.reduce((root, left) => hashOfPair(left, root), last).toString('hex');
  }

  /** The roots of the subtrees that the last leaves make, the largest first. */
  *#lastRoots(): Generator<Buffer> {
    let at = 0;
    for (let leaves = LEAVES / 2; leaves >= 1; leaves /= 2) {
      if ((this.#count & leaves) === 0) continue;
      const end = at + leaves * HASH_BYTES;
      yield rootOfHashes(this.#last.subarray(at, end));
      at = end;
    }
  }
}
