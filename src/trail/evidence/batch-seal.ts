import { randomUUID } from 'node:crypto';
import type { CheckedEvent } from '../checked-event';
import { leafHashOfChecked } from './entry';
import { HASH_BYTES } from './merkle';
import type { CheckpointKey } from './note-key';
import { ID_BYTES } from './tiles';

/** A record id and its leaf hash, side by side. */
export const LEAF_BYTES = ID_BYTES + HASH_BYTES;
const FIRST_LEAVES = 64;

/** The leaves that a batch adds to the log, while they wait for their turn. */
export interface SealedBatch {
  readonly batchId: string;
  /** The leaves of all events of the batch, whether an event turns out to be new or not. */
  readonly leaves: Buffer;
  readonly keyId: string;
  readonly mac: Buffer;
}

/** The leaves of a tenant's events that are stored together. */
export class BatchLeaves {
  #bytes = Buffer.allocUnsafeSlow(FIRST_LEAVES * LEAF_BYTES);
  #end = 0;

  constructor(private readonly tenantId: number) {}

  add(event: CheckedEvent): void {
    if (this.#end === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes]);
    const leaf = event.recordId.replaceAll('-', '') + leafHashOfChecked(this.tenantId, event);
    this.#end += this.#bytes.write(leaf, this.#end, 'hex');
  }

  /** @param order places of the events; null: in the order they were added */
  seal(key: CheckpointKey, order: Uint32Array | null): SealedBatch {
    const leaves = order ? this.#inOrder(order) : this.#bytes.subarray(0, this.#end);
    const batchId = randomUUID();
    return { batchId, leaves, keyId: key.keyId, mac: sealOf(key, this.tenantId, batchId, leaves) };
  }

  #inOrder(order: Uint32Array): Buffer {
    const leaves = Buffer.allocUnsafeSlow(this.#end);
    order.forEach((place, i) => {
      this.#bytes.copy(leaves, i * LEAF_BYTES, place * LEAF_BYTES, (place + 1) * LEAF_BYTES);
    });
    return leaves;
  }
}

/** Authenticates leaves that wait for the log: somebody who can only write to the database cannot add to the log. */
export const sealOf = (key: CheckpointKey, tenantId: number, batchId: string, leaves: Buffer): Buffer =>
  key.mac('batch', String(tenantId), batchId, leaves);

export const idBytes = (recordId: string): Buffer => Buffer.from(recordId.replaceAll('-', ''), 'hex');

export const idText = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
