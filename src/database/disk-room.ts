import { statfsSync } from 'node:fs';
import { serviceUnavailable } from '../errors';
import { LIMITS } from '../limits';
import type { Database } from './clients';

const NO_ROOM = `less than ${LIMITS.embeddedRoomBytes / 1024 ** 2} MiB are left on the disk of DATA_DIR: the embedded database takes no more`;

/**
 * Room on the disk of the embedded engine. One that cannot write its log any more stands still for good, with all that the
 * process does: so nothing is taken in before that.
 */
export class DiskRoom {
  constructor(
    folder: string,
    private readonly freeBytes: () => number = () => freeBytesOf(folder),
  ) {}

  get healthy(): boolean {
    return this.freeBytes() >= LIMITS.embeddedRoomBytes;
  }

  /** The same database, that takes nothing in while there is no room. */
  guarding(database: Database): Database {
    const { run, steps } = database;
    return {
      ...database,
      run: async (...given) => {
        this.#assert();
        return run(...given);
      },
      steps: async (...given) => {
        this.#assert();
        return steps(...given);
      },
    };
  }

  #assert(): void {
    if (!this.healthy) throw serviceUnavailable(new Error(NO_ROOM));
  }
}

function freeBytesOf(folder: string): number {
  const { bavail, blocks, bsize } = statfsSync(folder);
  // A file system that does not tell its size is not taken for a full one.
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}
