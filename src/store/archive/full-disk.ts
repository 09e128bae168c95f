import { freeBytesOf, hadNoRoom } from '../../database/disk-room';
import { LIMITS } from '../../limits';

/** There is no room on the local disk. */
export class FullDisk extends Error {
  override readonly name = 'FullDisk';
}

/** As DuckDB says it, of files and of what its memory does not hold. */
const TEXT =
  /no space left on device|not enough space on the disk|disk quota exceeded|max_temp_directory_size/i;

/** An error and what caused it. */
export function* causesOf(error: unknown): Iterable<unknown> {
  for (let [at, depth] = [error, 0]; at && depth < 6; at = (at as { cause?: unknown }).cause, depth++)
    yield at;
}

/** Whether a file could not be written for want of room. */
export function isFullDisk(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    const { message } = cause as { readonly message?: unknown };
    if (cause instanceof FullDisk || hadNoRoom(cause) || TEXT.test(String(message))) return true;
  }
  return false;
}

/** Whether more than the last room of a disk is free, which is left to others. */
export const hasRoom = (folder: string, leftBytes: number = LIMITS.archiveRoomBytes): boolean =>
  freeBytesOf(folder) >= leftBytes;

/** @throws FullDisk */
export function needRoom(folder: string, leftBytes?: number): void {
  if (!hasRoom(folder, leftBytes))
    throw new FullDisk(`less than ${leftBytes ?? LIMITS.archiveRoomBytes} bytes are free in ${folder}`);
}
