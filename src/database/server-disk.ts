import type { Connection, Pool } from 'pg';
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

/** Has each error that comes over the connections of a pool told. */
export function hearErrors(pool: Pool, onServerError: OnServerError): void {
  pool.on('connect', (client) => {
    // The driver's types do not declare this property.
    const { connection } = client as unknown as { readonly connection: Connection };
    connection.on('errorMessage', onServerError);
  });
}

/** Notices when a disk of PostgreSQL is full: the data's, that of the log or, on a cluster, a node's. */
export class ServerDisk {
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly log: Pick<Logger, 'error'>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  readonly hear: OnServerError = (error) => {
    if (!isFailure(error, 'disk_full')) return;
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
