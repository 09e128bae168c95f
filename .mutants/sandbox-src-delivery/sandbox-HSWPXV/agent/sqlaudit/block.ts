import { BLOCK_TYPE, type BlockHeader, dataChecksum, decodeBlockHeader } from './block-header';
import { DecodeError } from './decode-error';
import { type DecodedEvent, decodeEvents } from './event';
import { SECTOR_BYTES } from './limits';
import { decodePackageRecords, type PackageRecord } from './package-record';
import { Region } from './region';
import type { Schema } from './schema';

export type BlockResult =
  | { kind: 'events'; size: number; sequence: number; events: readonly DecodedEvent[] }
  | { kind: 'metadata'; size: number; packages: readonly PackageRecord[] }
  /** A block of a type that carries neither events nor metadata. */
  | { kind: 'skipped'; size: number }
  /** The block is not whole: decoding needs `bytes` from its start. */
  | { kind: 'needMore'; bytes: number }
  /** A sector of zeros: the unwritten part of a preallocated file. */
  | { kind: 'end' }
  /** `size` is the distance to the next block if the header itself is plausible, else null. */
  | { kind: 'corrupt'; offset: number; reason: string; size: number | null };

/**
 * The content of the block at the start of `bytes`, if all of it is sound. A block that is being written shows as
 * `needMore`, `end` or `corrupt`, and may be sound a moment later.
 * @param offset where the block begins in the file
 */
export function decodeBlock(bytes: Buffer, offset: number, schema: Schema): BlockResult {
  const header = decodeBlockHeader(bytes, 0);
  if (header.kind === 'needMore') return { kind: 'needMore', bytes: SECTOR_BYTES };
  if (header.kind === 'end') return header;
  if (header.kind === 'implausible') return { kind: 'corrupt', offset, reason: header.reason, size: null };
  if (header.size > bytes.length) return { kind: 'needMore', bytes: header.size };
  if (dataChecksum(bytes, header.dataStart, header.dataEnd) !== header.checksum) {
    return { kind: 'corrupt', offset, reason: 'checksum of the block does not match', size: header.size };
  }
  try {
    return decodeData(header, bytes, offset, schema);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { kind: 'corrupt', offset: error.offset, reason: error.reason, size: header.size };
  }
}

function decodeData(header: BlockHeader, bytes: Buffer, offset: number, schema: Schema): BlockResult {
  const { size, dataStart: start, dataEnd: end } = header;
  if (header.type === BLOCK_TYPE.metadata) {
    const packages = decodePackageRecords(new Region(bytes, start, end, offset), schema.typeName);
    return { kind: 'metadata', size, packages };
  }
  if (header.type !== BLOCK_TYPE.events) return { kind: 'skipped', size };
  if (schema.isEmpty) throw new DecodeError(offset, NO_SCHEMA);
  const events = decodeEvents(bytes, { start, end, fileOffset: offset }, schema);
  return { kind: 'events', size, sequence: header.sequence, events };
}

export const NO_SCHEMA =
  'no schema in file: its events are not described (SQL Server 2008 and 2008 R2 keep the description elsewhere)';
