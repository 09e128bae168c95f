import { crc32 } from 'node:zlib';

/** Lays out file headers and blocks by the format's description, independently of the decoder. */

export const SECTOR = 512;
const NOT_COUNTED = 0xffffffff;

export function guidBytes(text: string): Buffer {
  const hex = Buffer.from(text.replaceAll('-', ''), 'hex');
  return Buffer.concat([
    hex.subarray(0, 4).reverse(),
    hex.subarray(4, 6).reverse(),
    hex.subarray(6, 8).reverse(),
    hex.subarray(8),
  ]);
}

export function fileHeader(fileGuid: string): Buffer {
  const header = Buffer.alloc(SECTOR);
  header.writeUInt32LE(0xefab375a, 0);
  header.writeUInt16LE(10, 4);
  header.writeUInt16LE(SECTOR, 6);
  guidBytes(fileGuid).copy(header, 8);
  return header;
}

export const metadataBlock = (data: Buffer): Buffer =>
  block(data, { type: 1, dataOffset: 76, sequence: NOT_COUNTED });

export const eventBlock = (data: Buffer, sequence: number = NOT_COUNTED): Buffer =>
  block(data, { type: 0, dataOffset: 77, sequence });

export interface BlockFields {
  readonly type: number;
  readonly dataOffset: number;
  readonly sequence: number;
}

export function block(data: Buffer, { type, dataOffset, sequence }: BlockFields): Buffer {
  const used = dataOffset + data.length;
  // Padding is garbage in real files, too.
  const bytes = Buffer.alloc(Math.ceil(used / SECTOR) * SECTOR, 0x79);
  bytes.fill(0, 0, 76);
  bytes[76] = 0xcc;
  bytes.writeUInt32LE(sequence, 8);
  bytes.writeUInt16LE(10, 12);
  bytes.writeUInt16LE(type, 14);
  bytes.writeUInt32LE(bytes.length, 16);
  bytes.writeUInt16LE(dataOffset, 22);
  bytes.writeUInt32LE(data.length, 24);
  data.copy(bytes, dataOffset);
  return repairChecksum(bytes);
}

/** Sets the checksum of the block at `at` to what its data asks for, in place. */
export function repairChecksum(bytes: Buffer, at = 0): Buffer {
  const start = at + bytes.readUInt16LE(at + 22);
  const end = start + bytes.readUInt32LE(at + 24);
  const tail = bytes.subarray(Math.max(start, end - 1024), end);
  bytes.writeUInt32LE((crc32(tail) ^ 0xffffffff) >>> 0, at + 28);
  return bytes;
}

/** Offsets of all blocks of a sound file, then its size. */
export function blockOffsets(file: Buffer): number[] {
  const offsets = [SECTOR];
  for (let at = SECTOR; at < file.length; offsets.push(at)) at += file.readUInt32LE(at + 16);
  return offsets;
}
