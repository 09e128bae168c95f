import { statfsSync } from 'node:fs';
import { causesOf, serviceUnavailable } from '../errors';
import { LIMITS } from '../limits';
import type { Database } from './clients';
import { isServersOwn } from './failure';

const NO_ROOM = `less than ${LIMITS.embeddedRoomBytes / 1024 ** 2} MiB are left on the disk of DATA_DIR: the embedded database takes no more`;

/**
 * Watches the free room on the embedded engine's disk. An engine that can no longer write its log stops for good, and
 * with it the whole process. So the service refuses data before the disk is full.
 */
export class DiskRoom {
  constructor(
    folder: string,
    private readonly freeBytes: () => number = () => freeBytesOf(folder),
  ) {}

  get healthy(): boolean {
    return this.freeBytes() >= LIMITS.embeddedRoomBytes;
  }

  /** The same database, except that it refuses data while there is no room. */
  guarding(database: Database): Database {
    const { run, steps } = database.service;
    return {
      ...database,
      service: {
        ...database.service,
        run: async (...given) => {
          this.#assert();
          return run(...given);
        },
        steps: async (...given) => {
          this.#assert();
          return steps(...given);
        },
      },
    };
  }

  #assert(): void {
    if (!this.healthy) throw serviceUnavailable(new Error(NO_ROOM));
  }
}

export function freeBytesOf(folder: string): number {
  const { bavail, blocks, bsize } = statfsSync(folder);
  // A file system that does not report its size does not count as full.
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

/** The codes of a file that could not be written for want of room. */
const NO_ROOM_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
/** As DuckDB says it, of files and of what its memory does not hold. */
const NO_ROOM_TEXT =
  /no space left on device|not enough space on the disk|disk quota exceeded|max_temp_directory_size/i;

/** Whether this machine had no room for a file. A full disk of the database server is another one. */
export const hadNoRoom = (error: unknown): boolean =>
  !isServersOwn(error) &&
  [...causesOf(error)].some((cause) => {
    const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
    return NO_ROOM_CODES.has(code) || NO_ROOM_TEXT.test(String(message));
  });
