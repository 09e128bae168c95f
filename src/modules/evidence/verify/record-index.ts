import { ID_BYTES } from '../../../event/record-id';
import { ERASED_ID } from '../../../store/log/evidence/own-entry';
import type { Hole } from './log-copy';

const EMPTY = -1;
/** The last bytes of a record id are part of a hash, so any of its bits serve for the index. */
const HASH_AT = 12;

/** Finds the entries of a record among millions, with 8 bytes for each entry beside the ids. */
export class RecordIndex {
  readonly #slots: Int32Array;
  readonly #mask: number;

  /** @param recordIds 16 bytes each @param holes entries to leave out */
  constructor(
    private readonly recordIds: Buffer,
    holes: readonly Hole[],
  ) {
    const count = recordIds.length / ID_BYTES;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2))).fill(EMPTY);
    this.#mask = this.#slots.length - 1;
    let [next, ...others] = holes;
    for (let index = 0; index < count; index++) {
      if (index === next?.from) {
        index = next.to - 1;
        [next, ...others] = others;
        continue;
      }
      // Erased entries have no record id. Many equal ids would make a long chain.
      if (ERASED_ID.compare(recordIds, index * ID_BYTES, (index + 1) * ID_BYTES) === 0) continue;
      let slot = this.#slotOf(recordIds, index * ID_BYTES);
      while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = index;
    }
  }

  /** @returns the indexes of a record's entries, in the order of the log @param recordId 16 bytes */
  find(recordId: Buffer): number[] {
    const found: number[] = [];
    let slot = this.#slotOf(recordId, 0);
    for (let index = this.#slots[slot] ?? EMPTY; index !== EMPTY; index = this.#slots[slot] ?? EMPTY) {
      const at = index * ID_BYTES;
      if (recordId.compare(this.recordIds, at, at + ID_BYTES) === 0) found.push(index);
      slot = (slot + 1) & this.#mask;
    }
    return found;
  }

  #slotOf(bytes: Buffer, at: number): number {
    return bytes.readUInt32LE(at + HASH_AT) & this.#mask;
  }
}
