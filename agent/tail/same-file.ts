import { errorCode } from '../log';
import { soundEnd } from '../spool/sound-end';
import { decodeBlockHeader } from '../sqlaudit/block-header';
import type { ByteSource } from '../sqlaudit/byte-source';
import { FileByteSource } from '../sqlaudit/file-byte-source';
import { SECTOR_BYTES } from '../sqlaudit/limits';
import { SqlAuditFile } from '../sqlaudit/reader';

/** @throws where the path cannot be read */
export async function withSource<T>(path: string, use: (source: FileByteSource) => Promise<T>): Promise<T> {
  const source = await FileByteSource.open(path);
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}

/** Whether the source is the audit file of that GUID. */
export async function isFile(source: ByteSource, fileGuid: string): Promise<boolean> {
  const opened = await SqlAuditFile.open(source);
  return opened.kind === 'opened' && opened.file.fileGuid === fileGuid;
}

/** Whether the file is at that path; it is not where that cannot be found out. */
export const isFileAt = (path: string, fileGuid: string): Promise<boolean> =>
  unlessUnreadable(path, (source) => isFile(source, fileGuid));

/** Whether the file at that path holds a whole, sound block at `offset`. */
export const holdsBlockAt = (path: string, fileGuid: string, offset: number): Promise<boolean> =>
  unlessUnreadable(path, async (source) => {
    const header = decodeBlockHeader(await source.read(offset, SECTOR_BYTES), 0);
    if (header.kind !== 'block' || !(await isFile(source, fileGuid))) return false;
    const { end } = await soundEnd(source, offset, { enoughBytes: 1, maxBytes: header.size });
    return end > offset;
  });

async function unlessUnreadable(
  path: string,
  ask: (source: FileByteSource) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await withSource(path, ask);
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return false;
  }
}
