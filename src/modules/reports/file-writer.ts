import { createHash } from 'node:crypto';
import { LIMITS } from '../../limits';

const ENCODER = new TextEncoder();
/** Bytes of a character in UTF-8, at most. */
const CHARACTER_BYTES = 4;

/** Pieces of a file that are compressed at once, which is work of other threads than this one. */
const STORED_AT_ONCE = 3;

/**
 * Takes the bytes of a file, and hands them over in pieces, some at a time. A piece is filled while those before it are
 * stored.
 */
export class FileWriter {
  readonly #hash = createHash('sha256');
  /** The piece that is filled, and those that are stored, the oldest first. */
  #piece: Buffer;
  readonly #storing: Storing[] = [];
  #filled = 0;
  #pieces = 0;
  /** Bytes of the file, and bytes that its pieces take. */
  bytes = 0;
  stored = 0;

  /** @param put stores a piece and returns the bytes that it takes */
  constructor(
    private readonly put: (piece: number, bytes: Buffer) => Promise<number>,
    private readonly pieceBytes: number = LIMITS.reportPieceBytes,
  ) {
    this.#piece = Buffer.allocUnsafe(pieceBytes);
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
    while (this.#storing.length > 0) await this.#oldestStored();
    return this.#hash.digest('hex');
  }

  async #store(): Promise<void> {
    const bytes = this.#piece.subarray(0, this.#filled);
    this.#hash.update(bytes);
    this.bytes += bytes.length;
    const done = this.put(this.#pieces++, bytes);
    // It is heard when a later piece waits for this one.
    done.catch(() => {});
    this.#storing.push({ piece: this.#piece, done });
    this.#filled = 0;
    this.#piece =
      this.#storing.length < STORED_AT_ONCE
        ? Buffer.allocUnsafe(this.pieceBytes)
        : await this.#oldestStored();
  }

  /** @returns the piece, which may be filled again */
  async #oldestStored(): Promise<Buffer> {
    const oldest = this.#storing.shift();
    if (!oldest) return this.#piece;
    this.stored += await oldest.done;
    return oldest.piece;
  }
}

interface Storing {
  readonly piece: Buffer;
  /** The bytes that the piece takes. */
  readonly done: Promise<number>;
}
