import { type Connection, type DatabaseError, type FieldDef, types } from 'pg';
import { prepareValue } from 'pg/lib/utils';
import { bindMessage } from './bind-message';
import { TENANTS_SETTING } from './tenant-rows';

type Row = Readonly<Record<string, unknown>>;
type RowMaker = (values: readonly (string | null)[]) => Row;
type Callback = (error: Error | null, rows?: readonly Row[]) => void;

/** What a connection has been told: the names of its statements, each with how its rows are made. */
type Known = Map<string, RowMaker | null>;
const knownBy = new WeakMap<Connection, Known>();

const SET_TENANTS = { name: 'tenants', text: `SELECT set_config('${TENANTS_SETTING}', $1, true)` };

/**
 * A statement and the tenants it is for, in one round trip: what is sent before one Sync is one transaction, which
 * ends with it, and the setting too. A statement that the connection knows is not described again, and its rows are
 * made by code of its own, which together cost the service less than the driver's way without the setting.
 *
 * To be given to `query` of a `pg` pool, in the way that `pg-cursor` is.
 */
export class TenantStatement {
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
