import type { Answer } from '../../../event/shape';
import type { REMOVAL } from '../answer-fields';

/** A removal as the API answers it. */
export type RemovalAnswer = Answer<typeof REMOVAL>;

/** Entries from one to below another. */
export interface Hole {
  readonly from: number;
  readonly to: number;
}

/** A tenant's log as a verifier has fetched it. */
export interface LogCopy {
  readonly tenantId: string;
  /** As the service states it: whoever has it from elsewhere trusts that one. */
  readonly publicKey: string;
  /** The newest checkpoint before the events were fetched: all of its entries must be among them. Null: there was none. */
  readonly before: string | null;
  /** Events that were accepted by then, and are not in what is signed. */
  readonly waitingEvents: number;
  readonly refusedEvents: number;
  readonly problem: string | null;
  /** Notes, oldest first. */
  readonly checkpoints: readonly string[];
  readonly removals: readonly RemovalAnswer[];
  /** Entries that the service does not have any more, in their order; zeros stand in their places. */
  readonly holes: readonly Hole[];
  /** 16 bytes an entry. */
  readonly recordIds: Buffer;
  /** 32 bytes an entry. */
  readonly leafHashes: Buffer;
}
