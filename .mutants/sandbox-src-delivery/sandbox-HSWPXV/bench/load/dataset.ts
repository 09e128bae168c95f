import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import type { Bench } from '../context';
import { DATA_VERSION } from '../data/event-source';
import { withClient } from '../processes/databases';
import { load } from './loader';

/** A loaded database. Tenants are in the order of their size, the busiest first. */
export interface Dataset {
  readonly rows: number;
  readonly url: string;
  readonly tenantIds: readonly number[];
}

/** The result of a load. */
export interface LoadRecord {
  readonly rows: number;
  /** From the start of the load to the last receipt. */
  readonly seconds: number;
  /** The time until everything was folded and indexed. */
  readonly settledSeconds: number;
  readonly rowsPerSecond: number;
  readonly serviceMemoryPeakMb: number | null;
  readonly databaseMb: number;
}

/** The progress of a load, stored in the database itself, so that an interrupted load goes on where it stopped. */
export const LOAD_TABLES = `
  CREATE TABLE IF NOT EXISTS bench_load (fingerprint text NOT NULL, record json);
  CREATE TABLE IF NOT EXISTS bench_tenant (
    place int PRIMARY KEY, tenant_id int NOT NULL, agent_key text NOT NULL, batches int NOT NULL DEFAULT 0)`;

/** The database of `rows` events: a kept one if it fits, otherwise one loaded now. */
export async function ensureDataset(bench: Bench, rows: number): Promise<Dataset> {
  const databases = await bench.databases();
  const name = `rows_${rows}`;
  const url = databases.urlOf(name);
  const fingerprint = fingerprintOf(bench.machine.root, rows);
  const found = (await databases.exists(name)) ? await withClient(url, stateOf) : null;
  const isKept = found?.fingerprint === fingerprint && !bench.options.fresh;
  if (!isKept) {
    await databases.create(name);
    await withClient(url, (client) => client.query(LOAD_TABLES));
    await withClient(url, (client) =>
      client.query('INSERT INTO bench_load VALUES ($1, NULL)', [fingerprint]),
    );
  }
  if (isKept && found?.record) {
    bench.say(`${rows.toLocaleString('en')} events: kept from an earlier run`);
    bench.loads.push(found.record);
  } else {
    const loaded = await load(bench, url, rows);
    bench.loads.push(await withClient(url, (client) => finish(bench, client, loaded)));
  }
  return withClient(url, async (client) => {
    const { rows: tenants } = await client.query('SELECT tenant_id FROM bench_tenant ORDER BY place');
    return { rows, url, tenantIds: tenants.map((tenant) => tenant.tenant_id) };
  });
}

async function stateOf(client: Client): Promise<{ fingerprint: string; record: LoadRecord | null } | null> {
  const {
    rows: [table],
  } = await client.query(`SELECT to_regclass('bench_load') IS NOT NULL AS there`);
  if (!table.there) return null;
  const {
    rows: [state],
  } = await client.query('SELECT fingerprint, record FROM bench_load');
  return state ?? null;
}

async function finish(
  bench: Bench,
  client: Client,
  loaded: Omit<LoadRecord, 'databaseMb'>,
): Promise<LoadRecord> {
  bench.say('  vacuum and analyse');
  await client.query('VACUUM (ANALYZE)');
  await client.query('CHECKPOINT');
  const {
    rows: [size],
  } = await client.query('SELECT pg_database_size(current_database())::float8 AS bytes');
  const record = { ...loaded, databaseMb: Math.round(size.bytes / 2 ** 20) };
  await client.query('UPDATE bench_load SET record = $1', [JSON.stringify(record)]);
  return record;
}

/** Data from another generator, or tables of other migrations, cannot be compared. */
function fingerprintOf(root: string, rows: number): string {
  const folder = join(root, 'prisma/migrations');
  const hash = createHash('sha256').update(`${DATA_VERSION} ${rows}`);
  for (const name of readdirSync(folder).sort()) {
    if (!name.includes('.')) hash.update(readFileSync(join(folder, name, 'migration.sql')));
  }
  return hash.digest('hex');
}
