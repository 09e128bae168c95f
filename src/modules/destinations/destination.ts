import type { FeedFormat } from '../../event/formats/formats';
import type { Bounds } from './batch';
import type { DestinationType } from './types';

/** What an operator made. */
export interface DestinationSpec {
  readonly name: string;
  readonly type: DestinationType;
  /** As its type takes them, `url` among them; nothing secret. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Empty: every event. */
  readonly filter: string;
  readonly format: FeedFormat;
}

export interface DestinationKey {
  readonly tenantId: number;
  readonly destinationId: string;
}

/** The state of what an operator has removed, until its row is gone. */
export const REMOVED = 'removed';

/** How far it has come. */
export interface Progress {
  readonly state: 'active' | 'paused' | typeof REMOVED;
  /** Of the log: the first event that is not delivered. */
  readonly position: number;
  readonly generation: number;
  /** Of batches that may have been sent: they are sent again with the same bounds. */
  readonly batches: readonly Bounds[];
  /** Events in a batch at most; null: as many as its type takes. */
  readonly batchLimit: number | null;
  /** Failed since the last success. */
  readonly attempts: number;
}

export interface Destination extends DestinationKey, DestinationSpec, Progress {
  /** Sealed. */
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
  /** Events that retention removed before they were delivered. */
  readonly behindRetention: number;
  readonly overtakenAt: Date | null;
  /** Of the tenant's log. */
  readonly logSize: number;
}

export interface SetAsideEvent {
  readonly position: number;
  readonly recordId: string;
  readonly message: string;
}

/** What sealed secrets belong to. */
export const ownerOfSecrets = ({ tenantId, destinationId }: DestinationKey): string =>
  `destination ${tenantId}/${destinationId}`;

/** Seconds since everything was delivered; 0 while nothing waits. */
export function lagSeconds({ position, logSize, caughtUpAt, createdAt }: Destination, nowMs: number): number {
  if (position >= logSize) return 0;
  return Math.max(0, nowMs - (caughtUpAt ?? createdAt).getTime()) / 1000;
}

/** `failing`: the last attempt failed, and it is tried again. */
export const shownState = ({ state, attempts }: Progress): string =>
  state === 'active' && attempts > 0 ? 'failing' : state;
