import { createHash } from 'node:crypto';
import { LIMITS } from '../../limits';

/** Takes the bytes of a file, and hands them over in pieces, one at a time. */
export class FileWriter {
  readonly #hash = createHash('sha256');
  #parts: Buffer[] = [];
  #waiting = 0;
  #pieces = 0;
  #storing: Promise<number> = Promise.resolve(0);
  /** Bytes of the file, and bytes that its pieces take. */
  bytes = 0;
  stored = 0;

  /** @param put stores a piece and returns the bytes that it takes */
  constructor(
    private readonly put: (piece: number, bytes: Buffer) => Promise<number>,
    private readonly pieceBytes: number = LIMITS.reportPieceBytes,
  ) {}

  async write(text: string | Buffer): Promise<void> {
    if (text.length === 0) return;
    const part = typeof text === 'string' ? Buffer.from(text) : text;
    this.#hash.update(part);
    this.bytes += part.length;
    this.#parts.push(part);
    this.#waiting += part.length;
    if (this.#waiting < this.pieceBytes) return;
    const all = Buffer.concat(this.#parts);
    let at = 0;
    for (; all.length - at >= this.pieceBytes; at += this.pieceBytes)
      await this.#store(all.subarray(at, at + this.pieceBytes));
    this.#parts = [Buffer.from(all.subarray(at))];
    this.#waiting = all.length - at;
  }

  /** @returns the SHA-256 of the file, in hexadecimal */
  async end(): Promise<string> {
    if (this.#waiting > 0) await this.#store(Buffer.concat(this.#parts));
    await this.#stored();
    return this.#hash.digest('hex');
  }

  async #store(bytes: Buffer): Promise<void> {
    await this.#stored();
    this.#storing = this.put(this.#pieces++, bytes);
    // It is heard when the next piece waits for this one.
    this.#storing.catch(() => {});
  }

  async #stored(): Promise<void> {
    this.stored += await this.#storing;
    this.#storing = Promise.resolve(0);
  }
}
