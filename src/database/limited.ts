import { PrismaPg } from '@prisma/adapter-pg';
import {
  type ClientBase,
  type Connection,
  DatabaseError,
  type FieldDef,
  Pool,
  type PoolClient,
  types,
} from 'pg';
import { prepareValue } from 'pg/lib/utils';
import { within } from '../deadline';
import { serviceUnavailable } from '../errors';
import { PrismaClient } from '../generated/prisma/client';
import { LIMITS } from '../limits';
import type { NoTenants, TenantSet } from '../tenant-set';
import { bindMessage } from './bind-message';
import type { Connections, Planning, Prisma, Row, ServiceDoor, Step } from './clients';
import { layout, SERVICE_ROLE, setTenants, TENANTS_SETTING, tenantsSetting } from './each-tenant';
import { toDatabaseError } from './failure';
import { heardClient, type OnServerError } from './server-disk';
import { Standby } from './standby';

const NAMED_STATEMENTS_MAX = 256;
const UNNAMED = '';

/**
 * Settings of the planner for every statement. Compiling a statement over many weeks takes seconds, even when little of
 * it runs. Starting processes for a statement takes longer than most statements, and gives one caller several processors.
 */
const PLANNER = { jit: 'off', max_parallel_workers_per_gather: '0' } as const;
const optionsOf = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
/** How values look on the wire, and in which zone, whatever the database or the login is set to. */
const FORMS = {
  ...{ datestyle: 'ISO', intervalstyle: 'postgres', timezone: 'UTC', bytea_output: 'hex' },
  extra_float_digits: '1',
} as const;
/** Of the connections of background tasks and migrations. */
export const OWNER_OPTIONS = optionsOf({ ...PLANNER, ...FORMS });
/** How long an unresponsive node may delay a statement. A database that is not distributed ignores the setting. */
export const NODE_WAIT = `-c citus.node_connection_timeout=${LIMITS.nodeConnectMs}`;
/** Passes the tenants on to the nodes of a distributed database. */
const TELL_NODES = `${NODE_WAIT} -c citus.propagate_set_commands=local`;

/**
 * Every query of a request has an index. A plan that was made while the table of deltas is full would read the whole
 * table, and would stay in use after the rows are gone. Until the table is analysed again, a list would take 50 times
 * the work.
 */
const REQUEST_PLANNER = { ...PLANNER, enable_seqscan: 'off' } as const;

/** How requests reach the server. */
interface Reach {
  readonly connectionString: string;
  /**
   * Whether the login owns the tables: it then becomes the service's role. Any other login must be a member of that
   * role.
   */
  readonly isOwner: boolean;
  readonly isDistributed: boolean;
}

/** Opens the door for requests. Each connection and each statement has a time limit. */
export function openLimited(
  { connectionString, isOwner, isDistributed }: Reach,
  onServerError: OnServerError = () => {},
  standby = new Standby(),
): { readonly service: ServiceDoor; readonly connections: () => Connections } {
  const pool = new Pool({
    Client: heardClient(onServerError),
    connectionString,
    max: LIMITS.databaseConnections,
    connectionTimeoutMillis: LIMITS.databaseConnectMs,
    statement_timeout: LIMITS.databaseStatementMs,
    // For a silent connection, over which the server can no longer report the timeout.
    query_timeout: LIMITS.databaseStatementMs + 200,
    keepAlive: true,
    application_name: 'audit-activity',
    options: [
      optionsOf({ ...REQUEST_PLANNER, ...FORMS }),
      TELL_NODES,
      ...(isOwner ? [`-c role=${SERVICE_ROLE}`] : []),
    ].join(' '),
  });
  // An idle connection was lost. The next statement uses another one.
  pool.on('error', () => {});
  heed(standby, pool, connectionString);
  const options = { disposeExternalPool: true, statementNameGenerator: statementNames('p') };
  const nameOf = statementNames('t');
  const settings = isDistributed ? `; ${OF_NODES}` : '';
  const steps = stepsOn(pool, 'BEGIN', settings);
  const run = isDistributed ? inSteps(steps) : inOneTrip(pool);
  const service: ServiceDoor = {
    login: 'service',
    models: new PrismaClient({
      adapter: new PrismaPg(pool, options),
      transactionOptions: { maxWait: LIMITS.databaseConnectMs },
    }),
    ...layout(isDistributed),
    ask: <R extends object>({ text, values }: Prisma.Sql, tenants: TenantSet, planning: Planning = 'once') =>
      run<R>(nameOf({ sql: text }), { text, values, tenants, planning }),
    run: (text, values, tenants) => run(nameOf({ sql: text }), { text, values, tenants, planning: 'once' }),
    steps,
    snapshot: stepsOn(
      pool,
      'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY',
      settings,
      isDistributed ? undefined : statementNames('s'),
    ),
  };
  return {
    service,
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
  };
}

/** Runs a database call with a deadline, and translates its failure. */
export async function guarded<T>(
  call: () => Promise<T>,
  deadlineMs: number = LIMITS.requestDeadlineMs,
): Promise<T> {
  const late = () => serviceUnavailable(new Error(`no answer from the database in ${deadlineMs} ms`));
  try {
    return await within(deadlineMs, late, call);
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/**
 * Lets the transactions of a pool only read while a commit waits for a standby, and has connections kept that are given
 * up within a statement.
 */
function heed(standby: Standby, pool: Pool, connectionString: string): void {
  const readOnly = new WeakSet<ClientBase>();
  /** The driver sends this before the statement. */
  const allow = async (client: ClientBase): Promise<void> => {
    if (standby.healthy !== readOnly.has(client)) return;
    if (standby.healthy) readOnly.delete(client);
    else readOnly.add(client);
    const setting = 'default_transaction_read_only';
    // A failure is that of the connection, and the statement meets it too.
    await client.query(standby.healthy ? `RESET ${setting}` : `SET ${setting} = on`).catch(() => {});
  };
  pool.options.onConnect = allow;
  pool.on('acquire', (client) => void allow(client));
  pool.on('release', (_error, client) => {
    // The driver's types do not declare this method.
    const { _getActiveQuery } = client as unknown as { _getActiveQuery(): unknown };
    if (_getActiveQuery.call(client)) standby.keep(client, connectionString);
  });
}

interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly tenants: TenantSet | NoTenants;
  readonly planning: Planning;
}

/** @param name '' for a statement that is rarely repeated */
type Run = <R extends object = Row>(name: string, asked: Asked) => Promise<readonly R[]>;

/** A transaction of several steps plans each of them anew. */
const inSteps =
  (steps: TenantSteps): Run =>
  <R extends object>(_name: string, { text, values, tenants }: Asked) =>
    steps(tenants, (step) => step<R>(text, values));

const inOneTrip =
  (pool: Pool): Run =>
  <R extends object>(name: string, asked: Asked) =>
    // The pool returns what the statement passes to its callback.
    pool.query(new TenantStatement(name, asked)) as unknown as Promise<readonly R[]>;

/** The coordinator gets these settings when a connection begins. The nodes get them only by this statement. */
const OF_NODES = Object.entries(REQUEST_PLANNER)
  .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
  .join('; ');

type TenantSteps = <T>(tenants: TenantSet | NoTenants, work: (step: Step) => Promise<T>) => Promise<T>;

/** Takes more than one round trip, but settings reach the nodes of a distributed database in no other way. */
const stepsOn =
  (pool: Pool, begin: string, settings: string, nameOf?: NameOf): TenantSteps =>
  (tenants, work) =>
    inTransaction(pool, `${begin}; ${setTenants(tenants)}${settings}`, work, nameOf);

/**
 * @param begin the statements that begin the transaction
 * @param nameOf names the statements that are planned once; not given: each statement is planned at every use
 */
export async function inTransaction<T>(
  pool: Pool,
  begin: string,
  work: (step: Step) => Promise<T>,
  nameOf: NameOf = () => UNNAMED,
): Promise<T> {
  const client = await pool.connect();
  // The connection may be lost between two statements. The next statement then reports it. Without a listener the
  // process would end.
  client.on('error', ignored);
  let isOver = false;
  try {
    await client.query(begin);
    const result = await work(async (text, values, planning = 'each') => {
      // The connection may serve another call by then.
      if (isOver) throw new Error('a statement came after the end of its transaction');
      const name = planning === 'once' ? nameOf({ sql: text }) : UNNAMED;
      return (await client.query({ text, values: [...values], ...(name !== UNNAMED && { name }) })).rows;
    });
    isOver = true;
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    isOver = true;
    client.release(!(await isEnded(client, error)));
    throw error;
  } finally {
    client.off('error', ignored);
  }
}

const ignored = () => {};

/**
 * Ends a transaction that failed. A connection is kept if only the statement was refused. While a node is away, every
 * call of that node's tenants fails. If each failure closed a connection, the calls of others would wait for new ones.
 * @returns false: the connection's state is unknown, so it must be closed
 */
async function isEnded(client: PoolClient, error: unknown): Promise<boolean> {
  const isRefusal = error instanceof DatabaseError && error.severity === 'ERROR';
  return (
    isRefusal &&
    client.query('ROLLBACK').then(
      () => true,
      () => false,
    )
  );
}

type NameOf = (query: { readonly sql: string }) => string;

/**
 * Names under which PostgreSQL keeps prepared statements. PostgreSQL then plans each statement once and not at every
 * request, because planning takes longer than running. Each connection keeps all statements that it has named, so their
 * number is limited.
 * @param prefix a different one for each way in which statements reach the same connections
 */
function statementNames(prefix: string): NameOf {
  const names = new Map<string, string>();
  return ({ sql }) => {
    let name = names.get(sql);
    if (name === undefined && names.size < NAMED_STATEMENTS_MAX) {
      name = prefix + names.size;
      names.set(sql, name);
    }
    return name ?? UNNAMED;
  };
}

type RowMaker = (values: readonly (string | null)[]) => Row;
type Callback = (error: Error | null, rows?: readonly Row[]) => void;

/** The statements that a connection has prepared: the name of each, with the function that makes its rows. */
type Known = Map<string, RowMaker | null>;
const knownBy = new WeakMap<Connection, Known>();

const SETTINGS = {
  name: 'settings',
  text: `SELECT set_config('${TENANTS_SETTING}', $1, true), set_config('plan_cache_mode', $2, true)`,
};
const CACHE_MODES: Readonly<Record<Planning, string>> = { once: 'auto', each: 'force_custom_plan' };

/**
 * Sends a statement, with the tenants it is for and its planning, in one round trip. All messages before one Sync form
 * one transaction. The settings end with that transaction. A statement that the connection knows is not described
 * again, and generated code makes its rows. All this takes the service less time than the driver's own way without the
 * settings.
 *
 * Pass it to `query` of a `pg` pool, as one does with `pg-cursor`.
 */
class TenantStatement {
  /** The client sets it when it is undefined. */
  callback: Callback | undefined;
  readonly #rows: Row[] = [];
  #known: Known = new Map();
  #makeRow: RowMaker | null = null;
  /** Whether the command of the settings is complete. Its row and its command come first. */
  #isSet = false;
  #failure: Error | null = null;

  constructor(
    private readonly name: string,
    private readonly asked: Asked,
  ) {}

  submit(connection: Connection): null {
    this.#known = knownBy.get(connection) ?? new Map();
    knownBy.set(connection, this.#known);
    // Sends all messages in one packet.
    connection.stream.cork();
    try {
      const { text, values, tenants, planning } = this.asked;
      this.#send(connection, SETTINGS.name, SETTINGS.text, [tenantsSetting(tenants), CACHE_MODES[planning]]);
      connection.execute({}, true);
      this.#makeRow = this.#known.get(this.name) ?? null;
      this.#send(connection, this.name, text, values);
      if (!this.#makeRow) connection.describe({ type: 'P', name: '' }, true);
      connection.execute({}, true);
    } catch (error) {
      this.#failure = error as Error;
    } finally {
      connection.sync();
      connection.stream.uncork();
    }
    return null;
  }

  #send(connection: Connection, name: string, text: string, values: readonly unknown[]): void {
    if (name === '' || !this.#known.has(name)) connection.parse({ name, text, types: [] }, true);
    const sent = values.map((value) => prepareValue(value));
    if (sent.some((value) => Buffer.isBuffer(value)))
      for (const piece of bindMessage(name, sent)) connection.stream.write(piece);
    else connection.bind({ statement: name, values: sent }, true);
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#makeRow = rowMaker(fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#isSet && this.#makeRow) this.#rows.push(this.#makeRow(fields));
  }

  handleCommandComplete(): void {
    this.#isSet = true;
  }

  handleError(error: Error | DatabaseError): void {
    this.callback?.(error);
  }

  /** Calls back only now. The commit comes after the last row and may fail. */
  handleReadyForQuery(): void {
    if (this.#failure) {
      this.callback?.(this.#failure);
      return;
    }
    this.#known.set(SETTINGS.name, null);
    if (this.name !== '') this.#known.set(this.name, this.#makeRow);
    this.callback?.(null, this.#rows);
  }
}

/**
 * Makes rows by generated code that names the columns. A loop over the columns makes objects that are slow to make and
 * to read.
 */
function rowMaker(fields: readonly FieldDef[]): RowMaker {
  const parsers = fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text'));
  const columns = fields.map(
    ({ name }, i) => `${JSON.stringify(name)}: v[${i}] === null ? null : p[${i}](v[${i}])`,
  );
  return new Function('p', `return (v) => ({ ${columns.join(', ')} });`)(parsers);
}
