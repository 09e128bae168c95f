import type { DestinationFormat } from '../../event/formats/formats';
import type { Bounds } from './batch';
import type { DestinationType } from './types';

/** A destination as an operator defined it. */
export interface DestinationSpec {
  readonly name: string;
  readonly type: DestinationType;
  /** The settings of its type, including `url`, without secrets. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** An expression; empty: every event. */
  readonly filter: string;
  readonly format: DestinationFormat;
}

export interface DestinationKey {
  readonly tenantId: number;
  readonly destinationId: string;
}

/** The state of a removed destination until its row is deleted. */
export const REMOVED = 'removed';

/** The progress of a destination. */
export interface Progress {
  readonly state: 'active' | 'paused' | typeof REMOVED;
  /** The position in the evidence log of the first event that is not delivered. */
  readonly position: number;
  readonly generation: number;
  /** The bounds of batches that may have been sent. They are sent again with the same bounds. */
  readonly batches: readonly Bounds[];
  /** The most events in a batch; null: the limit of its type. */
  readonly batchLimit: number | null;
  /** The number of failures since the last success. */
  readonly attempts: number;
  /** The epoch under which an operator let it go while all others waited. */
  readonly goEpoch: string | null;
}

export interface Destination extends DestinationKey, DestinationSpec, Progress {
  /** Sealed secrets. */
  readonly secrets: Buffer;
  readonly createdAt: Date;
  readonly nextAttemptAt: Date | null;
  readonly lastError: string | null;
  readonly lastErrorAt: Date | null;
  readonly lastSuccessAt: Date | null;
  readonly caughtUpAt: Date | null;
  readonly delivered: number;
  readonly failures: number;
  readonly setAside: number;
  /** The number of events that retention removed before their delivery. */
  readonly behindRetention: number;
  readonly overtakenAt: Date | null;
  /** The size of the tenant's evidence log. */
  readonly logSize: number;
}

export interface SetAsideEvent {
  readonly position: number;
  readonly recordId: string;
  readonly message: string;
}

/** The context that sealed secrets are bound to. */
export const ownerOfSecrets = ({ tenantId, destinationId }: DestinationKey): string =>
  `destination ${tenantId}/${destinationId}`;

/** Seconds since everything was delivered; 0 while no event waits. */
export function lagSeconds({ position, logSize, caughtUpAt, createdAt }: Destination, nowMs: number): number {
  if (position >= logSize) return 0;
  return Math.max(0, nowMs - (caughtUpAt ?? createdAt).getTime()) / 1000;
}

/**
 * `failing` means that the last attempt failed and that the service tries again.
 * @param isHeld whether the service itself holds it back
 */
export const shownState = ({ state, attempts }: Progress, isHeld: boolean): string => {
  if (state !== 'active') return state;
  return isHeld ? 'paused' : attempts > 0 ? 'failing' : state;
};
