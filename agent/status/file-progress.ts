import type { CheckpointEntry } from '../checkpoint/checkpoint-entry';
import type { FollowedFile } from '../tail/followed-file';
import { START } from '../tail/position';

/** How far a file is acknowledged, in bytes. */
export interface FileProgress {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  /** What is there beyond `offset`; space that SQL Server has only reserved is not. */
  readonly waitingBytes: number;
}

/** @param entry what the checkpoint says of the file */
export function fileProgressOf(file: FollowedFile, entry: CheckpointEntry | null): FileProgress {
  const { name, found, stop, next } = file;
  const size = found?.size ?? 0;
  const endSize = entry?.acknowledged ? undefined : entry?.endSize;
  if (endSize !== undefined && size <= endSize) return { name, offset: size, size, waitingBytes: 0 };
  const { blockOffset } = entry ?? START;
  // Where only the header is before it, or is all there is, nothing is done and nothing waits.
  const offset = blockOffset > START.blockOffset ? blockOffset : 0;
  const end = stop?.kind === 'endOfWritten' ? next.blockOffset : size;
  return { name, offset, size, waitingBytes: end > START.blockOffset ? Math.max(0, end - offset) : 0 };
}

/** The file that is worked on: the oldest with something waiting, else the newest. */
export function currentFileOf(files: readonly FileProgress[]): FileProgress | null {
  return files.find(({ waitingBytes }) => waitingBytes > 0) ?? files.at(-1) ?? null;
}
