import { hash } from 'node:crypto';
import { ID_BYTES, idHex } from '../../event/record-id';
import { hashOfPair } from '../../store/log/evidence/merkle';

/** RFC 9162 puts this byte before every leaf. */
const LEAF = 0;

/** The Merkle root (RFC 9162) over record ids, 16 bytes each, which come one after the other. */
export class RunningRoot {
  /** The roots of whole subtrees, the largest first. */
  readonly #roots: { readonly height: number; readonly root: Buffer }[] = [];
  readonly #leaf = Buffer.alloc(1 + ID_BYTES, LEAF);

  add(recordId: string): void {
    this.#leaf.write(idHex(recordId), 1, 'hex');
    let height = 0;
    let root: Buffer = Buffer.from(hash('sha256', this.#leaf, 'hex'), 'hex');
    for (let last = this.#roots.at(-1); last?.height === height; last = this.#roots.at(-1)) {
      this.#roots.pop();
      root = hashOfPair(last.root, root);
      height++;
    }
    this.#roots.push({ height, root });
  }

  /** In hexadecimal. */
  get root(): string {
    const [last, ...others] = this.#roots.map(({ root }) => root).reverse();
    if (!last) return hash('sha256', '', 'hex');
    return others.reduce((root, left) => hashOfPair(left, root), last).toString('hex');
  }
}
