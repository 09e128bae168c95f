import type { CheckpointKey } from '../../trail/evidence/note-key';

/** The log is not as this service left it: it is not gone on with, and people must look. */
export class BrokenLog extends Error {
  override readonly name = 'BrokenLog';
}

/** Which keys a log may have been kept with. */
export interface LogKeys {
  readonly own: CheckpointKey;
  /** Others that this instance has at hand: what they sealed is checked, and gone on with. */
  readonly others: readonly CheckpointKey[];
  /** Key ids of lost keys, whose logs are gone on with unseen. */
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
