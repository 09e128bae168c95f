import type { Logger } from 'pino';
import type { OwnerDoor } from '../../../database/clients';
import type { FilePlace } from '../../../store/archive/file-place';
import { isPlaceOfFiles } from '../../../store/archive/outside-files';

/** Of all tenants: on a distributed database, a subquery without columns cannot be read from the nodes. */
const IS_SEALED = 'SELECT EXISTS (SELECT 1 FROM audit_sealed_week) AS sealed';

/** Notices that this instance does not find the files of sealed weeks, or has no room to read one, before a question reaches it. */
export class PlaceWatch {
  #finds = true;
  #isSealed = false;
  #hasToldOfRoom = false;

  constructor(
    private readonly owner: OwnerDoor,
    private readonly place: FilePlace | null,
    private readonly log: Pick<Logger, 'warn'>,
    /** Whether the local disk has room for a file. */
    private readonly hasRoom: () => boolean,
  ) {}

  get healthy(): boolean {
    return this.#finds && (!this.#isSealed || this.hasRoom());
  }

  async look(): Promise<void> {
    const [row] = await this.owner.models.$queryRawUnsafe<{ sealed: boolean }[]>(IS_SEALED);
    this.#isSealed = row?.sealed === true;
    const lacksRoom = this.#isSealed && !this.hasRoom();
    if (lacksRoom && !this.#hasToldOfRoom)
      this.log.warn({}, 'the disk of DATA_DIR is full, so files of sealed weeks cannot be read: make room');
    this.#hasToldOfRoom = lacksRoom;
    await this.#lookForFiles();
  }

  async #lookForFiles(): Promise<void> {
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
