import { Client } from 'pg';
import { openDatabase } from '../../src/database/database';
import { migrate } from '../../src/database/migrate';

/** An arbitrary lock id, by which concurrent test processes make the template only once. */
const TEMPLATE_LOCK = 702_301;
const PREFIX = 'test_template_';

/** Runs statements on a server's own database, one after the other. @returns the rows of the last */
export async function onServer<T extends object>(serverUrl: string, ...statements: string[]): Promise<T[]> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    let rows: T[] = [];
    for (const statement of statements) rows = (await client.query<T>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

export function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

let template: Promise<string> | undefined;

/**
 * The name of a database with every migration. Copying it for a test takes a tenth of the time of the migrations.
 * @param version of the migrations
 */
export function templateOn(serverUrl: string, version: string): Promise<string> {
  template ??= makeOnce(serverUrl, `${PREFIX}${version}`);
  return template;
}

async function makeOnce(serverUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(${TEMPLATE_LOCK})`);
    const { rows } = await client.query<{ name: string; whole: boolean }>(
      `SELECT datname AS name, NOT datallowconn AS whole FROM pg_database WHERE datname LIKE '${PREFIX}%'`,
    );
    if (rows.some((row) => row.name === name && row.whole)) return name;
    for (const old of rows) await client.query(`DROP DATABASE "${old.name}" WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${name}`);
    const database = await openDatabase({ databaseUrl: urlOf(serverUrl, name), dataDir: '' });
    try {
      await migrate(database.migrator);
    } finally {
      await database.close();
    }
    // No session may be connected to a database while it is copied. This mark also says that the template is complete.
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await client.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    return name;
  } finally {
    await client.end();
  }
}
