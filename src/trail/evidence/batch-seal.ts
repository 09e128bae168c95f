import { randomUUID } from 'node:crypto';
import type { CheckedEvent } from '../checked-event';
import { leafHashOfChecked } from './entry';
import { HASH_BYTES } from './merkle';
import type { CheckpointKey } from './note-key';
import { ID_BYTES } from './tiles';

/** A record id and its leaf hash, side by side. */
export const LEAF_BYTES = ID_BYTES + HASH_BYTES;

/** What a batch adds to the log, as it waits for its turn. */
export interface SealedBatch {
  readonly batchId: string;
  /** Of every event of the batch, whether it will be new or not. */
  readonly leaves: Buffer;
  readonly keyId: string;
  readonly mac: Buffer;
}

export function sealBatch(
  key: CheckpointKey,
  tenantId: number,
  events: readonly CheckedEvent[],
): SealedBatch {
  const leaves = Buffer.allocUnsafeSlow(events.length * LEAF_BYTES);
  events.forEach((event, i) => {
    const leaf = event.recordId.replaceAll('-', '') + leafHashOfChecked(tenantId, event);
    leaves.write(leaf, i * LEAF_BYTES, 'hex');
  });
  const batchId = randomUUID();
  return { batchId, leaves, keyId: key.keyId, mac: sealOf(key, tenantId, batchId, leaves) };
}

/** Authenticates what waits for the log: whoever can write to the database alone cannot add to it. */
export const sealOf = (key: CheckpointKey, tenantId: number, batchId: string, leaves: Buffer): Buffer =>
  key.mac('batch', String(tenantId), batchId, leaves);

export const idBytes = (recordId: string): Buffer => Buffer.from(recordId.replaceAll('-', ''), 'hex');

export const idText = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
