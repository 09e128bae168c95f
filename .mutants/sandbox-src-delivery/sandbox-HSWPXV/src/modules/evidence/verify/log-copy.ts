import type { Answer } from '../../../event/shape';
import type { REMOVAL } from '../answer-fields';

/** A removal as the API answers it. */
export type RemovalAnswer = Answer<typeof REMOVAL>;

/** Missing entries, half-open. */
export interface Hole {
  readonly from: number;
  readonly to: number;
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
  /** The events that were accepted by then and are not in the signed log. */
  readonly waitingEvents: number;
  readonly refusedEvents: number;
  readonly problem: string | null;
  /** Notes, oldest first. */
  readonly checkpoints: readonly string[];
  readonly removals: readonly RemovalAnswer[];
  /** Entries that the service no longer has, in order. Zeros take their places. */
  readonly holes: readonly Hole[];
  /** 16 bytes for each entry. */
  readonly recordIds: Buffer;
  /** 32 bytes for each entry. */
  readonly leafHashes: Buffer;
}
