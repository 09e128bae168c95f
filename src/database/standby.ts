import type { Socket } from 'node:net';
import { Client, type Connection, type PoolClient } from 'pg';
import type { Logger } from 'pino';
import { LIMITS } from '../limits';
import { isFailure } from './failure';

/** The driver's types do not declare these properties. */
interface Inner {
  readonly connection: Connection & { readonly stream: Socket };
  readonly processID: number;
  _ending: boolean;
  end: (done?: () => void) => unknown;
}
const innerOf = (client: Client | PoolClient) => client as unknown as Inner;

/**
 * The time limit of a statement does not hold for its commit. Where standbys are named, a commit that outlives it waits
 * for one of them, or for the lock of another commit: PostgreSQL lets one transaction at a time notify listeners.
 */
const IN_COMMIT = `
SELECT current_setting('synchronous_standby_names') AS standbys, array(
  SELECT pid FROM pg_stat_activity
  WHERE current_setting('synchronous_standby_names') <> '' AND pid = ANY($1::int[]) AND state = 'active'
    AND (wait_event = 'SyncRep' OR wait_event_type = 'Lock')) AS pids`;

/**
 * Asks PostgreSQL which processes still wait within a commit. Asks by a connection of its own, which has the role of the
 * login: another role does not see what they wait for.
 */
async function inCommit(
  connectionString: string,
  pids: readonly number[],
): Promise<{ readonly standbys: string; readonly pids: readonly number[] }> {
  const timeout = LIMITS.databaseConnectMs;
  const client = new Client({ connectionString, connectionTimeoutMillis: timeout, query_timeout: timeout });
  client.on('error', () => {});
  try {
    await client.connect();
    const [row] = (await client.query(IN_COMMIT, [pids])).rows;
    return row;
  } catch (error) {
    // Without a connection to ask by, nothing is known: each counts as waiting.
    return { standbys: '', pids: isFailure(error, 'too_many_connections') ? pids : [] };
  } finally {
    // A server that is silent would not answer to an orderly end.
    innerOf(client).connection.stream.destroy();
  }
}

/**
 * Watches for commits that PostgreSQL does not end, because a synchronous standby is away. The caller is answered after
 * the time limit. PostgreSQL's process goes on waiting, whatever becomes of the connection, and each is one of
 * `max_connections`. To end such a process would make its events visible although no standby has them. So:
 * - a connection that is given up during its commit is kept, outside of its pool, until the commit ends;
 * - while there is such a connection, transactions only read. PostgreSQL refuses to write, and agents keep their events.
 */
export class Standby {
  /** Connections that were given up within a statement, with what ends them for good. */
  readonly #givenUp = new Map<Inner, () => void>();
  /** Those of them whose processes wait within a commit. */
  #waiting: readonly Inner[] = [];
  #isLooking = false;
  /** False while a commit waits: then nothing may be written. A field, since each request reads it. */
  healthy = true;
  #isClosed = false;

  constructor(private readonly log: Pick<Logger, 'error' | 'info'> | null = null) {}

  /** Connections whose commit has not ended in time. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Whether the process of a connection that is silent waits within a commit. */
  async isInCommit(client: PoolClient, connectionString: string): Promise<boolean> {
    return (await inCommit(connectionString, [innerOf(client).processID])).pids.length > 0;
  }

  /** Closes the connections that are kept. Their processes stay until the commits end. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#givenUp.values()) end();
  }

  /** Keeps a connection that its pool gives up within a statement, if its process waits within a commit. */
  keep(client: PoolClient, connectionString: string): void {
    if (this.#isClosed) return;
    const inner = innerOf(client);
    const end = inner.end.bind(inner);
    // The pool then forgets the connection, and opens another one.
    inner._ending = true;
    inner.end = (done) => done?.();
    const over = () => {
      if (!this.#givenUp.delete(inner)) return;
      this.#setWaiting(this.#waiting.filter((other) => other !== inner));
      end();
    };
    this.#givenUp.set(inner, over);
    inner.connection.once('readyForQuery', over);
    inner.connection.once('end', over);
    if (!this.#isLooking) void this.#look(connectionString);
  }

  /** Looks at all kept connections again and again, until none is left. */
  async #look(connectionString: string): Promise<void> {
    this.#isLooking = true;
    while (this.#givenUp.size > 0) {
      const looked = [...this.#givenUp.keys()];
      const found = await inCommit(
        connectionString,
        looked.map(({ processID }) => processID),
      );
      const waits = (inner: Inner) => found.pids.includes(inner.processID);
      for (const inner of looked) if (!waits(inner)) this.#givenUp.get(inner)?.();
      this.#setWaiting(
        looked.filter((inner) => waits(inner) && this.#givenUp.has(inner)),
        found.standbys,
      );
      if (this.#givenUp.size > 0)
        await new Promise((resolve) => setTimeout(resolve, LIMITS.standbyLookMs).unref());
    }
    this.#isLooking = false;
  }

  #setWaiting(waiting: readonly Inner[], standbys = ''): void {
    const wasHealthy = this.healthy;
    this.#waiting = waiting;
    this.healthy = waiting.length === 0;
    if (wasHealthy && !this.healthy)
      this.log?.error(
        { synchronousStandbyNames: standbys, connections: waiting.length },
        'commits wait for a synchronous standby that is away: nothing is written until it is back, or until ' +
          'synchronous_standby_names names it no more',
      );
    if (!wasHealthy && this.healthy) this.log?.info('commits have ended: the service writes again');
  }
}
