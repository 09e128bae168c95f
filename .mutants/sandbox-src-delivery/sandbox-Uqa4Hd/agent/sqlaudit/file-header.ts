import { guidText } from './guid';
import { FORMAT_VERSION, SECTOR_BYTES } from './limits';

const MAGIC = 0xefab375a;

export type FileHeader =
  | { readonly kind: 'header'; readonly fileGuid: string }
  | { readonly kind: 'needMore' }
  | { readonly kind: 'foreign'; readonly offset: number; readonly reason: string };

/** The file's identity from its first 512 bytes. Bytes after the 24th may be garbage and are ignored. */
export function decodeFileHeader(bytes: Buffer): FileHeader {
  if (bytes.length >= 4 && bytes.readUInt32LE(0) !== MAGIC) {
    return { kind: 'foreign', offset: 0, reason: notAnAuditFile(bytes) };
  }
  if (bytes.length < SECTOR_BYTES) return { kind: 'needMore' };
  const version = bytes.readUInt16LE(4);
  if (version !== FORMAT_VERSION) {
    return {
      kind: 'foreign',
      offset: 4,
      reason: `format version ${version}, only ${FORMAT_VERSION} is known`,
    };
  }
  const size = bytes.readUInt16LE(6);
  if (size !== SECTOR_BYTES) return { kind: 'foreign', offset: 6, reason: `file header of ${size} bytes` };
  return { kind: 'header', fileGuid: guidText(bytes, 8) };
}

const notAnAuditFile = (bytes: Buffer) =>
  `not a SQL Server audit file: begins with ${bytes.toString('hex', 0, 4)}, not 5a37abef`;
