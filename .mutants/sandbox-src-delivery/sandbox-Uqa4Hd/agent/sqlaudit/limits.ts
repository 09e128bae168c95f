/** Bounds on the work that one file may cause, far above anything that SQL Server writes. */
export const LIMITS = {
  /** The largest block seen has 0.3 MiB. A larger "size" than this is damage, and must not become an allocation. */
  blockBytesMax: 64 * 1024 * 1024,
  /** An event without columns takes 24 bytes. This bound stops a hostile block from becoming gigabytes of objects. */
  eventsPerBlockMax: 500_000,
  /** Preparing an event type costs time per column. The widest known event has fewer than 100. */
  columnsPerEventMax: 1024,
  /** Objects (events, actions, maps, types) that the metadata of one file may describe. A server has about 4,000. */
  describedObjectsMax: 200_000,
  /** UTF-16 units of a name or a map's text. The file holds each once, and every event repeats it. No real one has 200. */
  nameCharsMax: 1024,
} as const;

/** Every block begins at a multiple of this; the first one follows the file header. */
export const SECTOR_BYTES = 512;
export const FORMAT_VERSION = 10;
