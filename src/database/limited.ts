import { PrismaPg } from '@prisma/adapter-pg';
import { type Connection, DatabaseError, type FieldDef, Pool, type PoolClient, types } from 'pg';
import { prepareValue } from 'pg/lib/utils';
import { PrismaClient } from '../generated/prisma/client';
import { LIMITS } from '../limits';
import { bindMessage } from './bind-message';
import type { AskRows, Connections, RunStatement, RunSteps, ServiceDb } from './clients';
import { isDistributed } from './distribute/distribute';
import { SERVICE_ROLE, setTenants, TENANTS_SETTING, tenantsSetting } from './tenant-rows';

const NAMED_STATEMENTS_MAX = 256;
const UNNAMED = '';

/** Compiling a statement over many weeks takes seconds, whatever little of it then runs. */
export const NO_JIT = '-c jit=off';
/** How long a node that does not answer may hold up a statement; any other database takes the setting without a meaning. */
export const NODE_WAIT = `-c citus.node_connection_timeout=${LIMITS.nodeConnectMs}`;
/** The nodes of a distributed database hear of the tenants too. */
const TELL_NODES = `${NODE_WAIT} -c citus.propagate_set_commands=local`;

/**
 * Whatever requests ask has its index. A plan made while the table of counts to be folded is full would read all of it,
 * and goes on to when the rows are long gone: 50 times the work of the list, until it is analysed again.
 */
const BY_INDEX = '-c enable_seqscan=off';

/** A database as requests use it. */
interface Limited {
  readonly prisma: ServiceDb;
  readonly run: RunStatement;
  readonly steps: RunSteps;
  readonly snapshot: RunSteps;
  readonly ask: AskRows;
  readonly connections: () => Connections;
}

/**
 * Connections for requests: each, and each statement, has its time limit.
 * @param isOwner whether the login owns the tables: it then becomes the service's role, which any other login is
 * to be a member of
 */
export function openLimited(connectionString: string, isOwner: boolean): Limited {
  const pool = new Pool({
    connectionString,
    max: LIMITS.databaseConnections,
    connectionTimeoutMillis: LIMITS.databaseConnectMs,
    statement_timeout: LIMITS.databaseStatementMs,
    // For a connection that went silent: the server can't tell us any more.
    query_timeout: LIMITS.databaseStatementMs + 200,
    keepAlive: true,
    application_name: 'audit-activity',
    options: [NO_JIT, BY_INDEX, TELL_NODES, ...(isOwner ? [`-c role=${SERVICE_ROLE}`] : [])].join(' '),
  });
  // A connection lost while idle: the next statement takes another.
  pool.on('error', () => {});
  const options = { disposeExternalPool: true, statementNameGenerator: statementNames('p') };
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, options) }) as ServiceDb;
  const nameOf = statementNames('t');
  const run = runner(pool, prisma);
  return {
    prisma,
    run: (text, values, tenants) => run(UNNAMED, text, values, tenants),
    steps: stepsOn(pool),
    snapshot: stepsOn(pool, 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY'),
    ask: ({ text, values }, tenants) => run(nameOf({ sql: text }), text, values, tenants),
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
  };
}

type Run = (
  name: string,
  text: string,
  values: readonly unknown[],
  tenants: readonly number[],
) => ReturnType<RunStatement>;

function runner(pool: Pool, prisma: ServiceDb): Run {
  const steps = stepsOn(pool);
  let distributed: Promise<boolean> | undefined;
  const whetherDistributed = () => {
    // Asked again where it could not be answered.
    distributed ??= isDistributed(prisma).catch((error) => {
      distributed = undefined;
      throw error;
    });
    return distributed;
  };
  return async (name, text, values, tenants) => {
    if (await whetherDistributed()) return steps(tenants, (step) => step(text, values));
    const statement = new TenantStatement(name, text, values, tenantsSetting(tenants));
    // The pool hands on what the statement answers with.
    return pool.query(statement) as unknown as ReturnType<RunStatement>;
  };
}

/** What the coordinator of a distributed database is told when a connection begins, its nodes hear of here alone. */
const OF_NODES = 'SET LOCAL jit = off; SET LOCAL enable_seqscan = off';

/** Slower than one round trip, but the nodes of a distributed database hear of no setting that is made in another way. */
const stepsOn =
  (pool: Pool, begin = 'BEGIN'): RunSteps =>
  async (tenants, work) => {
    const client = await pool.connect();
    // Lost between two statements: the next one says so. Without a listener the process would end.
    client.on('error', ignored);
    let isOver = false;
    try {
      await client.query(`${begin}; ${setTenants(tenants)}; ${OF_NODES}`);
      const result = await work(async (text, values) => {
        // By then the connection may serve another call.
        if (isOver) throw new Error('a statement came after the end of its transaction');
        return (await client.query(text, [...values])).rows;
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
  };

const ignored = () => {};

/**
 * Ends a transaction that failed. A connection on which only the statement was refused is kept: while a node is away each
 * call of its tenants fails, and if each took a connection with it, the calls of others would have to wait for new ones.
 * @returns false: whatever its state is, the connection has to be closed
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

/**
 * Names by which PostgreSQL keeps statements prepared. So it plans each once and not at every request: planning takes
 * longer than running. Each connection keeps what it has named, so their number is bounded.
 * @param prefix one for each way that statements take to the same connections
 */
function statementNames(prefix: string): (query: { readonly sql: string }) => string {
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

type Row = Readonly<Record<string, unknown>>;
type RowMaker = (values: readonly (string | null)[]) => Row;
type Callback = (error: Error | null, rows?: readonly Row[]) => void;

/** What a connection has been told: the names of its statements, each with how its rows are made. */
type Known = Map<string, RowMaker | null>;
const knownBy = new WeakMap<Connection, Known>();

const SET_TENANTS = { name: 'tenants', text: `SELECT set_config('${TENANTS_SETTING}', $1, true)` };

/**
 * A statement and the tenants it is for, in one round trip. What is sent before one Sync is one transaction. The
 * setting ends with it. A statement that the connection knows is not described again, and code of its own makes its
 * rows. Together that costs the service less than the driver's way without the setting.
 *
 * To be given to `query` of a `pg` pool, in the way that `pg-cursor` is.
 */
class TenantStatement {
  /** The client sets it, where it finds none. */
  callback: Callback | undefined;
  readonly #rows: Row[] = [];
  #known: Known = new Map();
  #makeRow: RowMaker | null = null;
  /** The first row and the first command are those of the setting. */
  #isSet = false;
  #failure: Error | null = null;

  /** @param name '' for a statement that is seldom repeated @param tenants the value of the setting */
  constructor(
    private readonly name: string,
    private readonly text: string,
    private readonly values: readonly unknown[],
    private readonly tenants: string,
  ) {}

  submit(connection: Connection): null {
    this.#known = knownBy.get(connection) ?? new Map();
    knownBy.set(connection, this.#known);
    // One packet, not one for each message.
    connection.stream.cork();
    try {
      this.#send(connection, SET_TENANTS.name, SET_TENANTS.text, [this.tenants]);
      connection.execute({}, true);
      this.#makeRow = this.#known.get(this.name) ?? null;
      this.#send(connection, this.name, this.text, this.values);
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

  /** Not earlier: the commit comes after the last row, and may fail. */
  handleReadyForQuery(): void {
    if (this.#failure) {
      this.callback?.(this.#failure);
      return;
    }
    this.#known.set(SET_TENANTS.name, null);
    if (this.name !== '') this.#known.set(this.name, this.#makeRow);
    this.callback?.(null, this.#rows);
  }
}

/** Makes rows by code that names the columns: a loop over them makes objects that are slow to make and to read. */
function rowMaker(fields: readonly FieldDef[]): RowMaker {
  const parsers = fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text'));
  const columns = fields.map(
    ({ name }, i) => `${JSON.stringify(name)}: v[${i}] === null ? null : p[${i}](v[${i}])`,
  );
  return new Function('p', `return (v) => ({ ${columns.join(', ')} });`)(parsers);
}
