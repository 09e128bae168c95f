/** A proof as the API answers it. */
export interface ProofAnswer {
  readonly index: number;
  /** Base64 each, from the leaf's neighbour up. */
  readonly path: readonly string[];
  /** A signed note. */
  readonly checkpoint: string;
}

/** The text of a proof as a file of its own (C2SP `tlog-proof`). It has no extra data. */
export const tlogProof = ({ index, path, checkpoint }: ProofAnswer): string =>
  ['c2sp.org/tlog-proof@v1', `index ${index}`, ...path, '', checkpoint].join('\n');
