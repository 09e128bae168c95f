/** What log and witness say to each other (C2SP: tlog-witness). */
export const WITNESS_STATUS = {
  /** The checkpoint is signed; the body has signature lines. */
  signed: 200,
  malformed: 400,
  /** No key of the log signed the checkpoint. */
  notSigned: 403,
  /** The witness does not serve the log. */
  unknown: 404,
  wrongMethod: 405,
  /** The witness signed another size last, or another root of that size; the body has the size. */
  conflict: 409,
  tooLarge: 413,
  /** The proof does not lead from the last checkpoint to the new one. */
  unproven: 422,
  /** The witness cannot read or write its state. */
  broken: 500,
} as const;

export const SIZE_TYPE = 'text/x.tlog.size';
