/**
 * - `ENOENT`: the object is gone
 * - `ECHANGED`: another version of it is there
 * - `EDAMAGED`: the archive cannot be unpacked
 * - `ECANCELED`: the agent stops
 * - `ESTORE`: anything else that keeps the store from answering
 */
export type StoreErrorCode = 'ENOENT' | 'ECHANGED' | 'EDAMAGED' | 'ECANCELED' | 'ESTORE';

/** Why a store did not give what it was asked for. The text is for people, and has no secret in it. */
export class StoreError extends Error {
  constructor(
    message: string,
    readonly code: StoreErrorCode = 'ESTORE',
  ) {
    super(message);
  }
}
