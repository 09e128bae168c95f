import { z } from 'zod';
import type { FoundFile } from '../source/audit-source';

const offset = z.int().min(0);
const position = z.object({ blockOffset: offset, index: offset });

/** How far one audit file is read and acknowledged. */
export const bookmark = z.object({
  /** Name when it was last read, for people. */
  file: z.string(),
  /** The path where the file was last seen. */
  path: z.string().optional(),
  /** Reading starts here: nothing before this position is needed any more. */
  ...position.shape,
  /**
   * Everything before this is acknowledged. It lies behind the start only while a split record that began there is open:
   * what is in between is read again to join that record, and not published again.
   */
  acknowledged: position.optional(),
  /** The size of the file when everything in it was read. */
  endSize: offset.optional(),
  /** Bytes that were seen to be written, if that is not `endSize`. */
  size: offset.optional(),
  /** Which version of the stored file was read to its end, if its source says that nothing more is written to it. */
  version: z.string().optional(),
  /** More may have been written since: no newer file of the audit existed yet, or the file had reserved space. */
  mayGrow: z.literal(true).optional(),
  /** Sequence number of the last event block before the start. */
  sequence: offset.optional(),
  /** Event time of the last record before the start. */
  lastTime: z.string().optional(),
  /** The file was removed too early, and the loss is noted as a gap. */
  isLost: z.literal(true).optional(),
});
export type Bookmark = z.infer<typeof bookmark>;

/** The number of bytes at the beginning of the file that are no longer needed. */
export const doneBytes = ({ acknowledged, blockOffset, endSize = 0 }: Bookmark): number =>
  acknowledged === undefined ? Math.max(blockOffset, endSize) : 0;

/** Everything that was ever seen of the file is acknowledged. */
export function isAtEnd(given: Bookmark): boolean {
  const { endSize, size = endSize } = given;
  return size !== undefined && doneBytes(given) >= size;
}

/** Whether an object was uploaded again, under the same key, after it was read to its end. */
export const isUploadedAgain = (
  { isWhole, path, version }: Pick<FoundFile, 'isWhole' | 'path' | 'version'>,
  { path: readAt, version: read }: Pick<Bookmark, 'path' | 'version'>,
): boolean => isWhole === true && path === readAt && read !== undefined && version !== read;

/** The bookmarks that change once a batch is acknowledged. */
export interface Snapshot {
  /** By file GUID. */
  readonly bookmarks: ReadonlyMap<string, Bookmark>;
  /** GUIDs of all existing files: their bookmarks are kept, however old they are. */
  readonly present: ReadonlySet<string>;
}
