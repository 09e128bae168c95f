import type { CheckpointKey } from '../../store/log/evidence/note-key';

/** The stored log differs from what we last wrote. Appending stops until an operator has looked. */
export class BrokenLog extends Error {
  override readonly name = 'BrokenLog';
}

/** The stored log is shorter than a remembered one, or another one: the database was restored, or somebody changed it. */
export class SetBack extends BrokenLog {}

/** The keys under which a log may have been written. */
export interface LogKeys {
  readonly own: CheckpointKey;
  /** Other keys at hand. The instance checks what they sealed and continues their logs. */
  readonly others: readonly CheckpointKey[];
  /** Ids of lost keys whose logs this instance may continue without checking their seals. */
  readonly former: readonly string[];
}

export const keyAtHand = ({ own, others }: LogKeys, keyId: string): CheckpointKey | undefined =>
  [own, ...others].find((key) => key.keyId === keyId);

export const knownKeyIds = ({ own, others, former }: LogKeys): string[] => [
  ...[own, ...others].map(({ keyId }) => keyId),
  ...former,
];

/** The end of a tenant's log. */
export interface LogHead {
  readonly size: number;
  readonly root: Buffer;
  /** The number of signed checkpoints. The last one signs `signedSize` entries. */
  readonly checkpoints: number;
  readonly signedSize: number;
  readonly signedAt: Date;
  /** Whether the log has all events that were stored before it existed. */
  readonly backfilled: boolean;
}

/** As it is stored, with the id of the key that sealed it. */
export interface StoredHead extends LogHead {
  readonly keyId: string;
}

/** Authenticates the end of a log, so that write access to the database is not enough to replace the log. */
export const sealOfHead = (key: CheckpointKey, tenantId: number, head: LogHead): Buffer =>
  key.mac(
    'head',
    [
      ...[tenantId, head.size, head.root.toString('hex'), head.checkpoints, head.signedSize],
      ...[head.signedAt.toISOString(), head.backfilled],
    ].join('\n'),
  );
