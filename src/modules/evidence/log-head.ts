import type { CheckpointKey } from '../../trail/evidence/note-key';

/** The stored log differs from what we last wrote. Appending stops until an operator has looked. */
export class BrokenLog extends Error {
  override readonly name = 'BrokenLog';
}

/** Which keys a log may have been kept with. */
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

/** Where a tenant's log ends. */
export interface LogHead {
  readonly size: number;
  readonly root: Buffer;
  /** Signed so far, the last of them for `signedSize` entries. */
  readonly checkpoints: number;
  readonly signedSize: number;
  readonly signedAt: Date;
  /** Whether all that was stored before there was a log is in it. */
  readonly backfilled: boolean;
}

/** Authenticates where a log ends: whoever can write to the database alone cannot make it another log. */
export const sealOfHead = (key: CheckpointKey, tenantId: number, head: LogHead): Buffer =>
  key.mac(
    'head',
    [
      ...[tenantId, head.size, head.root.toString('hex'), head.checkpoints, head.signedSize],
      ...[head.signedAt.toISOString(), head.backfilled],
    ].join('\n'),
  );
