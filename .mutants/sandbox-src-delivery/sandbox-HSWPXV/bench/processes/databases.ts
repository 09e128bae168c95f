import { Client } from 'pg';

const PREFIX = 'bench_';
const SHOWN = ['fsync', 'shared_buffers', 'work_mem', 'max_wal_size', 'autovacuum', 'random_page_cost'];

/** The databases of the benches on one PostgreSQL. All their names begin with `bench_`. */
export class Databases {
  private constructor(
    private readonly url: string,
    private readonly admin: Client,
  ) {}

  static async open(url: string): Promise<Databases> {
    const admin = new Client({ connectionString: url });
    await admin.connect();
    admin.on('error', () => {});
    return new Databases(url, admin);
  }

  urlOf(name: string): string {
    const url = new URL(this.url);
    url.pathname = `/${PREFIX}${name}`;
    return url.href;
  }

  async exists(name: string): Promise<boolean> {
    const { rowCount } = await this.admin.query('SELECT FROM pg_database WHERE datname = $1', [
      PREFIX + name,
    ]);
    return rowCount === 1;
  }

  /** Makes a new database, or a copy of a named one. @returns its URL */
  async create(name: string, template?: string): Promise<string> {
    await this.drop(name);
    const source = template === undefined ? '' : ` TEMPLATE ${PREFIX}${template} STRATEGY file_copy`;
    await this.admin.query(`CREATE DATABASE ${PREFIX}${name}${source}`);
    return this.urlOf(name);
  }

  async drop(name: string): Promise<void> {
    await this.admin.query(`DROP DATABASE IF EXISTS ${PREFIX}${name} WITH (FORCE)`);
  }

  async dropAll(): Promise<void> {
    const { rows } = await this.admin.query(`SELECT datname FROM pg_database WHERE datname ~ '^${PREFIX}'`);
    for (const { datname } of rows) await this.drop(datname.slice(PREFIX.length));
  }

  /** Has PostgreSQL write changed pages to disk, so that a round does not pay for the round before. */
  async settle(): Promise<void> {
    await this.admin.query('CHECKPOINT');
  }

  async describe(): Promise<string> {
    const {
      rows: [server],
    } = await this.admin.query('SHOW server_version');
    const { rows } = await this.admin.query(
      `SELECT name || '=' || current_setting(name) AS text FROM unnest($1::text[]) AS name`,
      [SHOWN],
    );
    return `PostgreSQL ${server.server_version} (${rows.map(({ text }) => text).join(', ')})`;
  }

  async close(): Promise<void> {
    await this.admin.end();
  }
}

/** Runs work on a connection of its own. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  // When the server is shut down, only the next query fails, not this process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
