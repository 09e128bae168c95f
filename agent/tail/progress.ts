import type { CheckpointEntry } from '../checkpoint/checkpoint-entry';
import { FollowedFile } from './followed-file';
import { earlier, type FilePosition, isBefore, later, START, toPosition } from './position';

/**
 * How far a file counts as published once everything read so far is acknowledged.
 * @param oldest where the oldest open record of its audit begins
 * @param isAfterOldest it continues the file of that record, and may hold a part of it
 */
export function entryOf(
  file: FollowedFile,
  oldest: FilePosition | null,
  isAfterOldest: boolean,
): CheckpointEntry {
  const published = later(file.next, file.acknowledged);
  const needed = oldest?.fileGuid === file.fileGuid ? oldest : isAfterOldest ? START : file.next;
  const start = toPosition(earlier(needed, file.next));
  const isHeldBack = isBefore(start, published);
  return {
    file: file.name,
    ...(file.path === null ? {} : { path: file.path }),
    ...start,
    ...(isHeldBack ? { acknowledged: toPosition(published) } : {}),
    ...(file.endSize === null ? {} : { endSize: file.endSize }),
    ...(file.writtenSize === file.endSize ? {} : { size: file.writtenSize }),
    ...(file.mayGrow ? { mayGrow: true } : {}),
    ...(isHeldBack || file.isAfterSkip ? {} : sequenceOf(file)),
    ...(file.lastTime === null ? {} : { lastTime: file.lastTime }),
    ...(file.isLost ? { isLost: true } : {}),
  };
}

/** The entry of a file that was found, and of which nothing is published. */
export function unreadEntryOf({ fileGuid, found, mayGrow }: FollowedFile): CheckpointEntry {
  const file = new FollowedFile(fileGuid, found, null);
  file.mayGrow = mayGrow;
  return entryOf(file, null, false);
}

/** Tells whether blocks are missing before the next one. A block read again was compared with the one before it. */
const sequenceOf = ({ lastSequence }: FollowedFile) =>
  lastSequence === null ? {} : { sequence: lastSequence };

/** Finds what has changed since the last snapshot, without looking twice at files that are done. */
export class Progress {
  private readonly recorded = new Map<string, string>();
  private readonly done = new Set<string>();

  /** @param files in order. @param oldestOf oldest open record of a file's audit */
  changes(
    files: Iterable<FollowedFile>,
    oldestOf: (file: FollowedFile) => FilePosition | null,
  ): Map<string, CheckpointEntry> {
    const changes = new Map<string, CheckpointEntry>();
    const auditsBegun = new Set<string>();
    for (const file of files) {
      const { fileGuid } = file;
      const oldest = oldestOf(file);
      if (this.done.has(fileGuid) && file.isFinished && oldest === null) continue;
      const entry = entryOf(file, oldest, oldest !== null && auditsBegun.has(file.audit));
      if (oldest?.fileGuid === fileGuid) auditsBegun.add(file.audit);
      const text = JSON.stringify(entry);
      if (this.recorded.get(fileGuid) !== text) changes.set(fileGuid, entry);
      if (file.isFinished && entry.acknowledged === undefined) this.done.add(fileGuid);
      else this.done.delete(fileGuid);
      this.recorded.set(fileGuid, text);
    }
    return changes;
  }
}
