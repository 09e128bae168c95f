import type { CheckpointKey } from './note-key';

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
