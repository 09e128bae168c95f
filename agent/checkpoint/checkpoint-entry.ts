import { z } from 'zod';

const offset = z.int().min(0);
const position = z.object({ blockOffset: offset, index: offset });

/** How far one audit file was read and acknowledged. */
export const checkpointEntry = z.object({
  /** Name when it was last read, for people. */
  file: z.string(),
  /** Where it was last seen. */
  path: z.string().optional(),
  /** Reading starts here: nothing before it is needed any more. */
  ...position.shape,
  /**
   * Everything before this was acknowledged. It lies beyond the start only while a split record that began there
   * is open: what is in between is read again to join it, not to be published again.
   */
  acknowledged: position.optional(),
  /** The file held nothing more at this size. */
  endSize: offset.optional(),
  /** Bytes that were seen to be written, where that is not `endSize`. */
  size: offset.optional(),
  /** More may have been written to it since: no newer file of its audit was there yet, or it had reserved space. */
  mayGrow: z.literal(true).optional(),
  /** Sequence number of the last event block before the start. */
  sequence: offset.optional(),
  /** Event time of the last record before the start. */
  lastTime: z.string().optional(),
  /** It was removed too early, and that is noted as a gap. */
  isLost: z.literal(true).optional(),
});
export type CheckpointEntry = z.infer<typeof checkpointEntry>;

/** The first bytes of the file, of which nothing is needed any more. */
export const doneBytes = ({ acknowledged, blockOffset, endSize = 0 }: CheckpointEntry): number =>
  acknowledged === undefined ? Math.max(blockOffset, endSize) : 0;

/** Everything that was ever seen of the file is acknowledged. */
export function isAtEnd(entry: CheckpointEntry): boolean {
  const { endSize, size = endSize } = entry;
  return size !== undefined && doneBytes(entry) >= size;
}

/** What a batch changes in the checkpoint once it is acknowledged. */
export interface Snapshot {
  /** By file GUID. */
  readonly entries: ReadonlyMap<string, CheckpointEntry>;
  /** GUIDs of all files that are there: their entries are kept however old they are. */
  readonly present: ReadonlySet<string>;
}
