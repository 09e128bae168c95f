import { createHash } from 'node:crypto';
import { LIMITS } from '../../limits';

const ENCODER = new TextEncoder();
/** Bytes of a character in UTF-8, at most. */
const CHARACTER_BYTES = 4;

/**
 * Takes the bytes of a file, and hands them over in pieces, one at a time. A piece is filled while the one before it is
 * stored.
 */
export class FileWriter {
  readonly #hash = createHash('sha256');
  /** The piece that is filled, and the one that is stored. */
  #piece: Buffer;
  #other: Buffer;
  #filled = 0;
  #pieces = 0;
  #storing: Promise<number> = Promise.resolve(0);
  /** Bytes of the file, and bytes that its pieces take. */
  bytes = 0;
  stored = 0;

  /** @param put stores a piece and returns the bytes that it takes */
  constructor(
    private readonly put: (piece: number, bytes: Buffer) => Promise<number>,
    pieceBytes: number = LIMITS.reportPieceBytes,
  ) {
    this.#piece = Buffer.allocUnsafe(pieceBytes);
    this.#other = Buffer.allocUnsafe(pieceBytes);
  }

  async write(part: string | Buffer): Promise<void> {
    for (let rest = part; rest.length > 0; ) {
      const room = this.#piece.subarray(this.#filled);
      if (typeof rest === 'string') {
        const { read, written } = ENCODER.encodeInto(rest, room);
        this.#filled += written;
        rest = rest.slice(read);
      } else {
        this.#filled += rest.copy(room);
        rest = rest.subarray(room.length);
      }
      // A character is in one piece.
      if (rest.length > 0 || this.#piece.length - this.#filled < CHARACTER_BYTES) await this.#store();
    }
  }

  /** @returns the SHA-256 of the file, in hexadecimal */
  async end(): Promise<string> {
    if (this.#filled > 0) await this.#store();
    await this.#stored();
    return this.#hash.digest('hex');
  }

  async #store(): Promise<void> {
    const bytes = this.#piece.subarray(0, this.#filled);
    this.#hash.update(bytes);
    this.bytes += bytes.length;
    await this.#stored();
    this.#storing = this.put(this.#pieces++, bytes);
    // It is heard when the next piece waits for this one.
    this.#storing.catch(() => {});
    [this.#piece, this.#other] = [this.#other, this.#piece];
    this.#filled = 0;
  }

  async #stored(): Promise<void> {
    this.stored += await this.#storing;
    this.#storing = Promise.resolve(0);
  }
}
