import { SECTOR } from './blocks';
import { MemorySource } from './memory-source';

/** A file in memory that counts what is read, and refuses more reads than correct work could need. */
export class CountingSource extends MemorySource {
  reads = 0;
  bytesRead = 0;

  override async read(offset: number, length: number): Promise<Buffer> {
    const there = await super.read(offset, length);
    this.reads += 1;
    this.bytesRead += there.length;
    // Each sector may look like a block whose end must be read, and bytes that were read ahead may be read again.
    const sectors = this.bytes.length / SECTOR;
    if (this.reads > 8 + 2 * sectors) throw new Error(`${this.reads} reads of ${sectors} sectors`);
    if (this.bytesRead > 8192 + 6 * this.bytes.length) throw new Error(`${this.bytesRead} bytes read`);
    return there;
  }
}
