import { errorCode } from '../log';
import type { Bytes } from '../sqlaudit/bytes';
import { SECTOR_BYTES } from '../sqlaudit/limits';
import { SqlAuditFile } from '../sqlaudit/reader';
import type { AuditSource, Identity } from './audit-source';

/** Which audit file the bytes are, by their header. */
export async function identityOf(bytes: Bytes): Promise<Identity> {
  const opened = await SqlAuditFile.open(bytes);
  if (opened.kind === 'opened') return { kind: 'file', fileGuid: opened.file.fileGuid };
  const isForeign = opened.kind === 'foreign' && !isBlank(await bytes.read(0, SECTOR_BYTES));
  return isForeign ? opened : { kind: 'unwritten' };
}

/** Whether the bytes are the audit file of that GUID. */
export async function isFile(bytes: Bytes, fileGuid: string): Promise<boolean> {
  const identity = await identityOf(bytes);
  return identity.kind === 'file' && identity.fileGuid === fileGuid;
}

/** Whether the file is at that path; false if that cannot be determined. */
export async function isFileAt(source: AuditSource, path: string, fileGuid: string): Promise<boolean> {
  try {
    const identity = await source.identify(path);
    return identity.kind === 'file' && identity.fileGuid === fileGuid;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return false;
  }
}

/** Whether the bytes are reserved space that is not written yet. An empty buffer is not blank. */
export const isBlank = (bytes: Buffer): boolean => bytes.length > 0 && bytes.every((byte) => byte === 0);
