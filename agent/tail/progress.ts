import type { CheckpointEntry } from '../checkpoint/checkpoint-entry';
import type { FollowedFile } from './followed-file';
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
  return {
    file: file.name,
    ...start,
    ...(isBefore(start, published) ? { acknowledged: toPosition(published) } : {}),
    ...(file.endSize === null ? {} : { endSize: file.endSize }),
  };
}

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
      if (this.done.has(fileGuid) && file.endSize !== null && oldest === null) continue;
      const entry = entryOf(file, oldest, oldest !== null && auditsBegun.has(file.audit));
      if (oldest?.fileGuid === fileGuid) auditsBegun.add(file.audit);
      const text = JSON.stringify(entry);
      if (this.recorded.get(fileGuid) !== text) changes.set(fileGuid, entry);
      const isDone = entry.endSize !== undefined && entry.acknowledged === undefined;
      if (isDone) this.done.add(fileGuid);
      else this.done.delete(fileGuid);
      this.recorded.set(fileGuid, text);
    }
    return changes;
  }
}
