import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { SECTOR } from '../../agent/sqlaudit/support/blocks';
import type { WrittenRow } from './session-rows';

/** A row and its position: the content of one event of a file. */
export interface Part extends WrittenRow {
  readonly file: AuditFile;
  readonly blockOffset: number;
  readonly index: number;
  readonly blockEnd: number;
  /** When the row's block was completely on disk, ms since 1970; infinite until then. */
  completeAtMs: number;
}

interface Unwritten {
  readonly bytes: Buffer;
  /** Padding at the end of the bytes, which no reader reads. */
  readonly paddingBytes: number;
  readonly parts: readonly Part[];
}

/** One file of a server audit as SQL Server writes it: bytes are only ever appended, or put into reserved space. */
export class AuditFile {
  /** The rows whose block was begun, in the order of the file. */
  readonly parts: Part[] = [];
  /** End of the bytes written so far; reserved space may follow. */
  end = 0;
  /** The server died in the middle of its last block. */
  isTorn = false;
  sequence = 0;
  /** When the file's header was on disk, and when the file was last written, ms since 1970. */
  headerAtMs = Number.POSITIVE_INFINITY;
  writtenAtMs = 0;
  /** Every name that the file has had. */
  readonly names: string[] = [];
  private readonly descriptor: number;
  private unwritten: Unwritten | null = null;

  /** @param reservedBytes 0: nothing is reserved */
  constructor(
    readonly guid: string,
    readonly path: string,
    private readonly reservedBytes: number,
  ) {
    this.descriptor = openSync(path, 'wx+');
    ftruncateSync(this.descriptor, reservedBytes);
  }

  /** Offset of the next block. */
  get next(): number {
    return this.end + (this.unwritten?.bytes.length ?? 0);
  }

  /** The rows whose block is completely on disk. */
  get wholeParts(): readonly Part[] {
    return this.parts.filter(({ completeAtMs }) => completeAtMs < Number.POSITIVE_INFINITY);
  }

  /** @param cut the fraction of the bytes that is on disk for now, from 0 to 1; null: all */
  append(bytes: Buffer, parts: readonly Part[], cut: number | null): void {
    this.writeMore(1);
    this.parts.push(...parts);
    this.unwritten = { bytes, parts, paddingBytes: parts.length > 0 ? paddingOf(bytes) : 0 };
    this.writeMore(cut ?? 1);
  }

  /** Writes a fraction of the pending bytes to disk. */
  writeMore(fraction: number): void {
    if (this.unwritten === null) return;
    const { bytes, parts } = this.unwritten;
    const count = fraction >= 1 ? bytes.length : Math.floor(bytes.length * fraction);
    writeSync(this.descriptor, bytes, 0, count, this.end);
    this.end += count;
    this.writtenAtMs = Date.now();
    if (this.end >= SECTOR) this.headerAtMs = Math.min(this.headerAtMs, this.writtenAtMs);
    this.unwritten = count < bytes.length ? { ...this.unwritten, bytes: bytes.subarray(count) } : null;
    if (this.unwritten === null) for (const part of parts) part.completeAtMs = this.writtenAtMs;
  }

  /** Drops the pending bytes: they are never written. */
  tear(): void {
    if (this.unwritten === null) return;
    // In reserved space, a block is complete when its data is written, even without its padding.
    const isWhole = this.reservedBytes > 0 && this.unwritten.bytes.length <= this.unwritten.paddingBytes;
    if (isWhole) this.writeMore(1);
    else this.isTorn = true;
    this.unwritten = null;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

const paddingOf = (block: Buffer): number => block.length - block.readUInt16LE(22) - block.readUInt32LE(24);
