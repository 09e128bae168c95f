/** Bounds of what one file may make the decoder do; far above anything SQL Server writes. */
export const LIMITS = {
  /** Largest block seen is 0.3 MiB; a bigger "size" than this is damage, and must not become an allocation. */
  blockBytesMax: 64 * 1024 * 1024,
  /** An event without columns takes 24 bytes; this keeps a hostile block from becoming gigabytes of objects. */
  eventsPerBlockMax: 500_000,
  /** Making an event type ready costs time per column; the widest known event has fewer than 100. */
  columnsPerEventMax: 1024,
  /** Objects (events, actions, maps, types) all metadata of one file may describe; a server has about 4,000. */
  describedObjectsMax: 200_000,
  /** UTF-16 units. Names and texts of maps stand in the file once and come out with every event; none has 200. */
  nameCharsMax: 1024,
} as const;

/** Every block begins on such a border, the first right after the file header. */
export const SECTOR_BYTES = 512;
export const FORMAT_VERSION = 10;
