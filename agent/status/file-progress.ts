import { type Bookmark, isUploadedAgain } from '../bookmarks/bookmark';
import { START } from '../sqlaudit/position';
import type { FollowedFile } from '../tail/followed-file';

/** How far a file is acknowledged, in bytes. */
export interface FileProgress {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  /** Bytes beyond `offset`, without space that SQL Server has only reserved. */
  readonly waitingBytes: number;
}

export function fileProgressOf(file: FollowedFile, saved: Bookmark | null): FileProgress {
  const { name, found, readableSize } = file;
  const bookmark = saved !== null && found !== null && isUploadedAgain(found, saved) ? null : saved;
  const size = found?.size ?? 0;
  const endSize = bookmark?.acknowledged ? undefined : bookmark?.endSize;
  if (endSize !== undefined && size <= endSize) return { name, offset: size, size, waitingBytes: 0 };
  const { blockOffset } = bookmark ?? START;
  // A file header alone counts neither as progress nor as waiting bytes.
  const offset = blockOffset > START.blockOffset ? blockOffset : 0;
  const isMoreThanHeader = readableSize > START.blockOffset;
  return { name, offset, size, waitingBytes: isMoreThanHeader ? Math.max(0, readableSize - offset) : 0 };
}

/** The file that is in work: the oldest one with waiting bytes, else the newest. */
export function currentFileOf(files: readonly FileProgress[]): FileProgress | null {
  return files.find(({ waitingBytes }) => waitingBytes > 0) ?? files.at(-1) ?? null;
}
