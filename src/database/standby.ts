import type { Socket } from 'node:net';
import { Client, type Connection, type Pool, type PoolClient } from 'pg';
import type { Logger } from 'pino';
import { LIMITS } from '../limits';

/** The driver's types do not declare these properties. */
interface Inner {
  readonly connection: Connection & { readonly stream: Socket };
  readonly processID: number;
  _getActiveQuery(): unknown;
  _ending: boolean;
  end: (done?: () => void) => unknown;
}
const innerOf = (client: PoolClient) => client as unknown as Inner;

/**
 * The time limit of a statement does not hold for its commit. A commit that outlives it waits for a standby, or for the
 * lock of another commit: PostgreSQL lets one transaction at a time notify listeners.
 */
const IN_COMMIT = `
SELECT current_setting('synchronous_standby_names') AS standbys, array(
  SELECT pid FROM pg_stat_activity
  WHERE pid = ANY($1::int[]) AND state = 'active' AND (wait_event = 'SyncRep' OR wait_event_type = 'Lock')) AS pids`;

/** No connection was left to ask by, so nothing is known. */
const TOO_MANY_CONNECTIONS = '53300';

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
    return { standbys: '', pids: (error as { code?: unknown }).code === TOO_MANY_CONNECTIONS ? pids : [] };
  } finally {
    // A server that is silent would not answer to an orderly end.
    (client as unknown as Inner).connection.stream.destroy();
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
  readonly #readOnly = new WeakSet<PoolClient>();
  #isLooking = false;
  #isClosed = false;

  constructor(private readonly log: Pick<Logger, 'error' | 'info'> | null = null) {}

  get healthy(): boolean {
    return this.#waiting.length === 0;
  }

  /** Connections whose commit has not ended in time. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Watches the connections of a pool that gives up a statement after some time. */
  watch(pool: Pool, connectionString: string): void {
    pool.options.onConnect = (client) => this.#allow(client as PoolClient);
    pool.on('acquire', (client) => void this.#allow(client));
    pool.on('release', (_error, client) => {
      const inner = innerOf(client);
      if (inner._getActiveQuery() && !this.#isClosed) this.#keep(inner, connectionString);
    });
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

  /** Sets whether the transactions that follow on a connection may write. The driver sends this before the statement. */
  async #allow(client: PoolClient): Promise<void> {
    const mayWrite = this.healthy;
    if (mayWrite !== this.#readOnly.has(client)) return;
    if (mayWrite) this.#readOnly.delete(client);
    else this.#readOnly.add(client);
    const statement = mayWrite
      ? 'RESET default_transaction_read_only'
      : 'SET default_transaction_read_only = on';
    // A failure is that of the connection, and the statement meets it too.
    await client.query(statement).catch(() => {});
  }

  #keep(inner: Inner, connectionString: string): void {
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
    if (wasHealthy && !this.healthy)
      this.log?.error(
        { synchronousStandbyNames: standbys, connections: waiting.length },
        'commits wait for a synchronous standby that is away: nothing is written until it is back, or until ' +
          'synchronous_standby_names names it no more',
      );
    if (!wasHealthy && this.healthy) this.log?.info('commits have ended: the service writes again');
  }
}
