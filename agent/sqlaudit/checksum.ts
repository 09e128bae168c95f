import { crc32 } from 'node:zlib';

/** The checksum covers no more than the end of the data: the walk over the data has to find the other damage. */
export const CHECKSUM_TAIL_BYTES = 1024;

/** CRC-32 without the final inversion over the last KiB of the data region `[start, end)`. */
export function dataChecksum(bytes: Buffer, start: number, end: number): number {
  const tail = bytes.subarray(Math.max(start, end - CHECKSUM_TAIL_BYTES), end);
  return (crc32(tail) ^ 0xffffffff) >>> 0;
}
