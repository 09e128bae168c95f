import type { CheckpointKey } from '../evidence/note-key';

/** A row of `audit_log_gone`, or the part of another row that comes from it. */
export interface SealedPosition {
  readonly position: number;
  readonly keyId: string | null;
  readonly mac: Uint8Array | null;
}

/**
 * Seals how far the beginning of a log has no events any more. A row that somebody else wrote into the database hides
 * nothing: readers go through the positions that it names.
 */
export class GoneSeal {
  /** @param keys the first one seals; the others may have sealed older rows */
  constructor(private readonly keys: readonly [CheckpointKey, ...CheckpointKey[]]) {}

  get keyId(): string {
    return this.keys[0].keyId;
  }

  seal(tenantId: number, position: number): Buffer {
    return macOf(this.keys[0], tenantId, position);
  }

  /** @returns the position, or 0 if none of the keys sealed it for this tenant */
  open(tenantId: number, { position, keyId, mac }: SealedPosition): number {
    const key = this.keys.find((one) => one.keyId === keyId);
    return key && mac && macOf(key, tenantId, position).equals(mac) ? position : 0;
  }
}

const macOf = (key: CheckpointKey, tenantId: number, position: number): Buffer =>
  key.mac('gone', String(tenantId), String(position));
