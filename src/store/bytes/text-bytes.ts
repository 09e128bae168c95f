const PIECE_BYTES = 64 * 1024;
/** Bytes of a unit of UTF-16 in UTF-8, at most. */
const UNIT_BYTES = 3;
/** A longer text has memory of its own: it could leave much of a piece empty. */
const SHORT_CHARS = 4 * 1024;

/**
 * Texts as bytes, in pieces of bounded size. A text is written while it is in the processor's cache: to join many
 * texts and to make bytes of the long text takes several times as long.
 */
export class TextBytes {
  #pieces: Buffer[] = [];
  #piece = NOTHING;
  #filled = 0;

  add(text: string): void {
    if (text.length > SHORT_CHARS) {
      this.addBytes(Buffer.from(text));
      return;
    }
    if (text.length * UNIT_BYTES > this.#piece.length - this.#filled) {
      this.#endPiece();
      this.#piece = Buffer.allocUnsafe(PIECE_BYTES);
    }
    this.#filled += this.#piece.write(text, this.#filled);
  }

  /** The bytes must not change afterwards. */
  addBytes(bytes: Buffer): void {
    this.#endPiece();
    this.#pieces.push(bytes);
  }

  /** The bytes that were added since the last call. */
  take(): Buffer[] {
    this.#endPiece();
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** What is left of the piece takes the next texts. */
  #endPiece(): void {
    if (this.#filled === 0) return;
    this.#pieces.push(this.#piece.subarray(0, this.#filled));
    this.#piece = this.#piece.subarray(this.#filled);
    this.#filled = 0;
  }
}

const NOTHING = Buffer.alloc(0);
