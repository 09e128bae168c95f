import type { Logger } from 'pino';
import type { OwnerDoor } from '../../../database/clients';
import type { FilePlace } from '../../../store/archive/file-place';
import { isPlaceOfFiles } from '../../../store/archive/outside-files';

/** Notices that this instance does not find the files of sealed weeks, before a question reaches one. */
export class PlaceWatch {
  #finds = true;

  constructor(
    private readonly owner: OwnerDoor,
    private readonly place: FilePlace | null,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  get healthy(): boolean {
    return this.#finds;
  }

  async look(): Promise<void> {
    const before = this.#finds;
    let failure: unknown;
    const finds = await isPlaceOfFiles(this.owner, this.place).catch((error: unknown) => {
      failure = error;
      return false;
    });
    this.#finds = finds !== false;
    if (this.#finds || !before) return;
    const why =
      this.place === null
        ? 'files of sealed weeks lie outside the database, and this instance has no ARCHIVE_URL: set it as on the others'
        : 'this instance does not find the files of sealed weeks: is ARCHIVE_URL that of the other instances, and does the place answer?';
    this.log.warn({ ...(failure !== undefined && { err: failure }) }, why);
  }
}
