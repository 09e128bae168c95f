import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { openDatabase } from '../../src/database/database';
import { distribute } from '../../src/database/distribute/distribute';
import { migrate } from '../../src/database/migrate';

/** A superuser's URL of a coordinator with Citus in `shared_preload_libraries`; see scripts/test-citus.mjs. */
export const CITUS_URL = process.env.TEST_CITUS_URL;
const LOGINS = { owner: 'audit_owner', service: 'audit_app', role: 'audit_activity_service' } as const;
/** An arbitrary lock id, by which concurrent test processes make the template only once. */
const TEMPLATE_LOCK = 702_300;
const SHARDS = 4;
const ROOT = path.resolve(__dirname, '../..');

export interface CitusDatabase {
  readonly databaseUrl: string;
  readonly migrationDatabaseUrl: string;
  drop(): Promise<void>;
}

/** A database whose tables are distributed over the cluster. */
export async function createCitusDatabase(): Promise<CitusDatabase> {
  const nodes = await clusterNodes();
  const template = await templateOn(nodes);
  const name = `test_citus_${randomBytes(6).toString('hex')}`;
  await onEach(nodes, 'postgres', `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return {
    databaseUrl: as(LOGINS.service, nodes[0], name),
    migrationDatabaseUrl: as(LOGINS.owner, nodes[0], name),
    drop: () => dropOn(nodes, name),
  };
}

/** The coordinator, then its workers: those of TEST_CITUS_WORKERS, else those at the next two ports. */
export async function clusterNodes(): Promise<readonly [URL, ...URL[]]> {
  const coordinator = new URL(CITUS_URL ?? '');
  const port = Number(coordinator.port || 5432);
  const named = process.env.TEST_CITUS_WORKERS;
  const workers = named
    ? named.split(',')
    : [`${coordinator.hostname}:${port + 1}`, `${coordinator.hostname}:${port + 2}`];
  return [coordinator, ...workers.map((host) => Object.assign(new URL(coordinator), { host: host.trim() }))];
}

/** The rows of a statement, as the superuser. */
export async function onNode<T extends object>(node: URL, database: string, ...statements: string[]) {
  const client = new Client({ connectionString: as(decodeURIComponent(node.username), node, database) });
  await client.connect();
  try {
    let rows: T[] = [];
    for (const statement of statements) rows = (await client.query<T>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

const onEach = (nodes: readonly URL[], database: string, ...statements: string[]) =>
  Promise.all(nodes.map((node) => onNode(node, database, ...statements)));

function as(login: string, node: URL, database: string): string {
  const url = new URL(node);
  if (login !== decodeURIComponent(url.username)) url.password = '';
  url.username = login;
  url.pathname = `/${database}`;
  return url.href;
}

let template: Promise<string> | undefined;

/** Migrating and distributing takes seconds, so a template has it done once, and each node copies it for a test. */
function templateOn(nodes: readonly [URL, ...URL[]]): Promise<string> {
  template ??= (async () => {
    const name = `test_citus_template_${await versionOfTemplate()}`;
    const client = new Client({ connectionString: nodes[0].href });
    await client.connect();
    try {
      await client.query(`SELECT pg_advisory_lock(${TEMPLATE_LOCK})`);
      const { rows } = await client.query<{ name: string; whole: boolean }>(
        `SELECT datname AS name, NOT datallowconn AS whole FROM pg_database WHERE datname LIKE 'test\\_citus\\_%'`,
      );
      if (rows.some((row) => row.name === name && row.whole)) return name;
      for (const old of rows) if (old.name.startsWith('test_citus_template_')) await dropOn(nodes, old.name);
      await makeTemplate(nodes, name);
      return name;
    } finally {
      await client.end();
    }
  })();
  return template;
}

async function makeTemplate(nodes: readonly [URL, ...URL[]], name: string): Promise<void> {
  const [coordinator, ...workers] = nodes;
  for (const login of [`${LOGINS.owner} LOGIN`, `${LOGINS.service} LOGIN`, `${LOGINS.role} NOLOGIN`])
    await onEach(nodes, 'postgres', `CREATE ROLE ${login}`).catch(unlessThere);
  await onEach(nodes, 'postgres', `GRANT ${LOGINS.role} TO ${LOGINS.owner}, ${LOGINS.service}`);
  await onEach(nodes, 'postgres', `CREATE DATABASE ${name}`);
  await onEach(
    nodes,
    name,
    'CREATE EXTENSION citus',
    `GRANT CREATE, USAGE ON SCHEMA public TO ${LOGINS.owner}`,
  );
  const address = ({ hostname, port }: URL) => `'${hostname}', ${port || 5432}`;
  await onNode(coordinator, name, `SELECT citus_set_coordinator_host(${address(coordinator)})`);
  for (const worker of workers) await onNode(coordinator, name, `SELECT citus_add_node(${address(worker)})`);
  const database = await openDatabase({
    databaseUrl: as(LOGINS.service, coordinator, name),
    migrationDatabaseUrl: as(LOGINS.owner, coordinator, name),
    dataDir: '',
  });
  try {
    await distribute(database.migrator, () => migrate(database.migrator), SHARDS);
  } finally {
    await database.close();
  }
  // No session may be connected to the copied database, and Citus' own process reconnects. The coordinator comes
  // last, since its mark says that the template is complete.
  for (const node of nodes.toReversed())
    await onNode(
      node,
      'postgres',
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
}

const DUPLICATE_OBJECT = '42710';
function unlessThere(error: { code?: string }): void {
  if (error.code !== DUPLICATE_OBJECT) throw error;
}

const dropOn = async (nodes: readonly URL[], name: string) => {
  await onEach(nodes, 'postgres', `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
};

/** A hash of the sources that make and distribute the tables. */
async function versionOfTemplate(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of ['prisma/migrations', 'src/database/distribute']) {
    for (const name of (await readdir(path.join(ROOT, folder), { recursive: true })).sort()) {
      if (/\.(sql|ts)$/.test(name)) hash.update(name).update(await readFile(path.join(ROOT, folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 12);
}
