import { crc32 } from 'node:zlib';
import { FORMAT_VERSION, LIMITS, SECTOR_BYTES } from './limits';

export const BLOCK_TYPE = { events: 0, metadata: 1 } as const;

export interface BlockHeader {
  readonly kind: 'block';
  /** 0 events, 1 metadata. Types 2 and 3 are said to exist, and are skipped. */
  readonly type: number;
  /** 1, 2, 3… over the event blocks of a file; 0xFFFFFFFF if the writer does not count. */
  readonly sequence: number;
  /** Bytes of the whole block, so the distance to the next one. */
  readonly size: number;
  readonly dataStart: number;
  readonly dataEnd: number;
  readonly checksum: number;
}

type BlockHeaderResult =
  | BlockHeader
  | { readonly kind: 'needMore' }
  | { readonly kind: 'end' }
  | { readonly kind: 'implausible'; readonly reason: string };

/** Decodes the block header at `at`. At least 512 bytes must follow, since no block is shorter. `end`: a sector of zeros. */
export function decodeBlockHeader(bytes: Buffer, at: number): BlockHeaderResult {
  if (bytes.length - at < SECTOR_BYTES) return { kind: 'needMore' };
  const version = bytes.readUInt16LE(at + 12);
  const type = bytes.readUInt16LE(at + 14);
  const size = bytes.readUInt32LE(at + 16);
  const dataStart = bytes.readUInt16LE(at + 22);
  const dataLength = bytes.readUInt32LE(at + 24);
  if (version === 0 && size === 0 && isZero(bytes, at)) return { kind: 'end' };
  if (version !== FORMAT_VERSION) return implausible(`block version ${version}`);
  if (type > 3) return implausible(`block type ${type}`);
  if (size === 0 || size % SECTOR_BYTES !== 0) return implausible(`block size ${size}`);
  if (size > LIMITS.blockBytesMax) return implausible(`block size ${size} is beyond ${LIMITS.blockBytesMax}`);
  if (dataStart < 32 || dataStart + dataLength > size) {
    return implausible(`${dataLength} data bytes at ${dataStart} in a block of ${size}`);
  }
  return {
    kind: 'block',
    type,
    sequence: bytes.readUInt32LE(at + 8),
    size,
    dataStart,
    dataEnd: dataStart + dataLength,
    checksum: bytes.readUInt32LE(at + 28),
  };
}

const implausible = (reason: string) => ({ kind: 'implausible', reason }) as const;
const ZEROS = Buffer.alloc(SECTOR_BYTES);
const isZero = (bytes: Buffer, at: number) =>
  bytes.compare(ZEROS, 0, SECTOR_BYTES, at, at + SECTOR_BYTES) === 0;

/** Whether the checksum matches. It covers only the end of the data, so decoding must find other damage. */
export const CHECKSUM_TAIL_BYTES = 1024;

/** CRC-32 without the final inversion over the last KiB of the data region `[start, end)`. */
export function dataChecksum(bytes: Buffer, start: number, end: number): number {
  const tail = bytes.subarray(Math.max(start, end - CHECKSUM_TAIL_BYTES), end);
  return (crc32(tail) ^ 0xffffffff) >>> 0;
}
