import { Client, type ClientConfig, type Connection } from 'pg';
import type { Logger } from 'pino';
import { LIMITS } from '../limits';
import { isFailure } from './failure';

/** An error that PostgreSQL answered. */
interface ServerError {
  readonly code?: string | undefined;
  readonly message: string;
}
/** Called with each error that PostgreSQL answers, whoever asked. */
export type OnServerError = (error: ServerError) => void;

/** A client that tells each error that comes over its connection, also where PostgreSQL refuses the connection. */
export const heardClient = (onServerError: OnServerError): typeof Client =>
  class extends Client {
    constructor(config?: string | ClientConfig) {
      super(config);
      // The driver's types do not declare this property.
      const { connection } = this as unknown as { readonly connection: Connection };
      connection.on('errorMessage', onServerError);
    }
  };

/** What PostgreSQL says, in no other language, where it has no room for a file that it writes for a new connection. */
const NO_INIT_FILE = 'could not write init file';

/** Notices when a disk of PostgreSQL is full: the data's, that of the log or, on a cluster, a node's. */
export class ServerDisk {
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly log: Pick<Logger, 'error'>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  readonly hear: OnServerError = (error) => {
    if (!isFailure(error, 'disk_full') && error.message !== NO_INIT_FILE) return;
    if (this.healthy)
      this.log.error(
        { said: error.message },
        'a disk of PostgreSQL is full: give it room, or nothing is stored',
      );
    this.#fullAtMs = this.nowMs();
  };

  get healthy(): boolean {
    return this.nowMs() - this.#fullAtMs >= LIMITS.serverDiskFullMs;
  }
}
