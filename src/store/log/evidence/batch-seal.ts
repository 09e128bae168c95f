import { randomUUID } from 'node:crypto';
import { copyBytes } from '../../../event/json-bytes';
import { ID_BYTES, idText } from '../../../event/record-id';
import type { EventBytes } from '../../bytes/event-bytes';
import { writeLeafHash } from './entry';
import { HASH_BYTES } from './merkle';
import type { CheckpointKey } from './note-key';

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

  readonly #tenant: Buffer;

  constructor(private readonly tenantId: number) {
    this.#tenant = Buffer.from(String(tenantId));
  }

  add(event: EventBytes): void {
    if (this.#end === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes]);
    copyBytes(event.id, 0, ID_BYTES, this.#bytes, this.#end);
    writeLeafHash(this.#tenant, event, this.#bytes, this.#end + ID_BYTES);
    this.#end += LEAF_BYTES;
  }

  /** The record ids, in the order in which the events were added. */
  ids(): string[] {
    const ids: string[] = [];
    for (let at = 0; at < this.#end; at += LEAF_BYTES)
      ids.push(idText(this.#bytes.subarray(at, at + ID_BYTES)));
    return ids;
  }

  /** The event times in milliseconds since 1970. */
  *times(): Generator<number> {
    for (let at = 0; at < this.#end; at += LEAF_BYTES) yield this.#bytes.readUIntBE(at, 6);
  }

  /**
   * The order of the record ids, ascending. Two instances that store the same events in different orders would deadlock.
   * @returns null if they are already in order
   */
  order(): Uint32Array | null {
    const count = this.#end / LEAF_BYTES;
    let inOrder = 1;
    while (inOrder < count && this.#compare(inOrder - 1, inOrder) <= 0) inOrder++;
    if (inOrder >= count) return null;
    const places = Uint32Array.from({ length: count }, (_, i) => i);
    return places.sort((a, b) => this.#compare(a, b) || a - b);
  }

  /** @param order places of the events; null: in the order they were added */
  seal(key: CheckpointKey, order: Uint32Array | null): SealedBatch {
    const leaves = order ? this.#inOrder(order) : this.#bytes.subarray(0, this.#end);
    const batchId = randomUUID();
    return { batchId, leaves, keyId: key.keyId, mac: sealOf(key, this.tenantId, batchId, leaves) };
  }

  /** Compares the record ids at two places. */
  #compare(a: number, b: number): number {
    const [bytes, one, other] = [this.#bytes, a * LEAF_BYTES, b * LEAF_BYTES];
    for (let i = 0; i < ID_BYTES; i++) {
      const difference = (bytes[one + i] as number) - (bytes[other + i] as number);
      if (difference !== 0) return difference;
    }
    return 0;
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
