import type { GapNote } from '../gaps/open-gaps';
import type { FollowedFile } from './followed-file';

/** How much of a file the spool has. */
interface SpoolState {
  /** Bytes of the copy; 0 if there is none. */
  readonly length: number;
  /** Whether the copy holds the whole file, which is no longer written. */
  readonly isComplete: boolean;
  /** Whether the spool had no room for the whole file. */
  readonly isFull: boolean;
}

/**
 * The loss that the removal of a file means, or null.
 *
 * An audit file does not tell which file it continues: neither its name nor its content has a running number, and the
 * blocks of each file are counted from 1. So the agent cannot know how many files came and went between two
 * looks, or what they held. It does know when something may be missing:
 *
 * - SQL Server deletes the oldest file first. While the newest file that was seen is there, no later one has gone.
 * - If the newest file is gone and no later one was seen beside it, its gap lasts up to the first record of the next
 *   file.
 * - Rollover passes by a file that somebody has renamed. If the newest file that was seen has another name, later files
 *   may have gone too (`LOSS_AFTER`).
 *
 * Files that were gone before the agent's first look leave no trace.
 */
export function lossOf(file: FollowedFile, spool: SpoolState): Omit<GapNote, 'beforeTime'> | null {
  if (file.isLost) return null;
  const isMissed = file.hasUnread || file.mayGrow;
  if (!isMissed || spool.isComplete) return null;
  const reason = spool.isFull ? 'SPOOL_FULL' : 'FILE_DELETED';
  const place = Math.max(file.next.blockOffset, spool.length);
  const range = `from ${place}:${spool.length > file.next.blockOffset ? 0 : file.next.index}`;
  const why = spool.isFull ? ', and the spool had no room for the rest of it' : '';
  const detail = file.hasUnread
    ? `was removed before it was read to its end${why}: what followed byte ${place} is missing`
    : `was removed while it could still be written${why}: what followed byte ${place}, if anything, is missing`;
  return { reason, range, detail };
}

/** The possible loss after a file that was renamed while no newer file was known. */
export const LOSS_AFTER: Omit<GapNote, 'beforeTime'> = {
  reason: 'FILE_DELETED',
  range: 'after',
  detail:
    'was renamed while no newer file was known: files that were begun after it may have been removed unseen',
};
