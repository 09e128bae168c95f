import { constants } from 'node:buffer';
import os from 'node:os';
import { ID_BYTES } from '../../../event/record-id';
import type { Answer } from '../../../event/shape';
import { HASH_BYTES } from '../../../store/log/evidence/merkle';
import type { REMOVAL, TIME_STAMP } from '../answer-fields';
import type { StatedFiles } from './sealed-files';

/** A removal as the API answers it. */
export type RemovalAnswer = Answer<typeof REMOVAL>;

/** A time stamp as the API answers it. */
export type TimeStampCopy = Answer<typeof TIME_STAMP>;

export const isTimeStamp = (value: unknown): value is TimeStampCopy => {
  const { number, token } = (value ?? {}) as Partial<TimeStampCopy>;
  return Number.isSafeInteger(number) && typeof token === 'string';
};

/** Missing entries, half-open. */
export interface Hole {
  readonly from: number;
  readonly to: number;
}

/** A proof, as the service gave it, that the log of `to` entries begins with that of `from`. */
export interface ProofCopy {
  readonly from: number;
  readonly to: number;
  /** Each in Base64; null: the service cannot make the proof from the hashes that it has. */
  readonly hashes: readonly string[] | null;
}

/** Two copies for a moment, the index of the record ids, and what is noted of each entry. */
const BYTES_PER_ENTRY = 2 * (ID_BYTES + HASH_BYTES) + 32;

/** The number of entries for which this machine has memory. */
export function entriesMax(): number {
  const memory = Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.floor(Math.min(memory / BYTES_PER_ENTRY, constants.MAX_LENGTH / HASH_BYTES));
}

/** A tenant's log as a verifier fetched it. */
export interface LogCopy {
  readonly tenantId: string;
  /** As the service states it. A verifier who has the key from elsewhere trusts that one instead. */
  readonly publicKey: string;
  /**
   * The newest checkpoint before the events were fetched. All of its entries must be among the events. Null: there was
   * none.
   */
  readonly before: string | null;
  /** The events that were accepted before these entries were fetched, and are not among them yet. */
  readonly waitingEvents: number;
  readonly refusedEvents: number;
  readonly problem: string | null;
  /** Notes, oldest first. */
  readonly checkpoints: readonly string[];
  /** Tokens of a time-stamp authority, by the number of their checkpoint, as the service states them. */
  readonly timeStamps: readonly TimeStampCopy[];
  readonly removals: readonly RemovalAnswer[];
  /** The entries of erasures, as the service states them. */
  readonly erasures: readonly string[];
  /** The entries of files, and the list of files, as the service states them. */
  readonly sealed: StatedFiles;
  /** Entries that the service no longer has, in order. Zeros take their places. */
  readonly holes: readonly Hole[];
  /** Proofs that take in every hash above the entries; none where entries are missing. */
  readonly proofs: readonly ProofCopy[];
  /** 16 bytes for each entry, also those that no checkpoint covers yet. */
  readonly recordIds: Buffer;
  /** 32 bytes for each entry. */
  readonly leafHashes: Buffer;
}
