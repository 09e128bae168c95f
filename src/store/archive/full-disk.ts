import { freeBytesOf, hadNoRoom } from '../../database/disk-room';
import { isFailure } from '../../database/failure';
import { LIMITS } from '../../limits';

/** There is no room on the local disk. */
export class FullDisk extends Error {
  override readonly name = 'FullDisk';
  readonly code = 'ENOSPC';
}

/** Which disk was full, in words for operators; null: none was. */
export function fullDiskIn(error: unknown): string | null {
  if (hadNoRoom(error)) return 'the disk of DATA_DIR is full';
  return isFailure(error, 'disk_full') ? 'the disk of the database is full' : null;
}

/** Whether more than the last room of a disk is free, which is left to others. */
export const hasRoom = (folder: string, leftBytes: number = LIMITS.archiveRoomBytes): boolean =>
  freeBytesOf(folder) >= leftBytes;

/** @throws FullDisk */
export function needRoom(folder: string, leftBytes?: number): void {
  if (!hasRoom(folder, leftBytes))
    throw new FullDisk(`less than ${leftBytes ?? LIMITS.archiveRoomBytes} bytes are free in ${folder}`);
}
