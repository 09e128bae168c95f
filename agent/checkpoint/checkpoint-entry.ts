import { z } from 'zod';

const offset = z.int().min(0);
const position = z.object({ blockOffset: offset, index: offset });

/** How far one audit file was read and acknowledged. */
export const checkpointEntry = z.object({
  /** Name when it was last read, for people. */
  file: z.string(),
  /** Reading starts here: nothing before it is needed any more. */
  ...position.shape,
  /**
   * Everything before this was acknowledged. It lies beyond the start only while a split record that began there
   * is open: what is in between is read again to join it, not to be published again.
   */
  acknowledged: position.optional(),
  /** The file held nothing more at this size. */
  endSize: offset.optional(),
});
export type CheckpointEntry = z.infer<typeof checkpointEntry>;

/** What a batch changes in the checkpoint once it is acknowledged. */
export interface Snapshot {
  /** By file GUID. */
  readonly entries: ReadonlyMap<string, CheckpointEntry>;
  /** GUIDs of all files that are there: their entries are kept however old they are. */
  readonly present: ReadonlySet<string>;
}
