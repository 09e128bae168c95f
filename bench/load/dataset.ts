import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import type { Bench } from '../context';
import { DATA_VERSION } from '../data/event-source';
import { withClient } from '../processes/databases';
import { type LoadRecord, load } from './loader';

/** A loaded database. Tenants are in the order of their size, the busiest first. */
export interface Dataset {
  readonly rows: number;
  readonly url: string;
  readonly tenantIds: readonly number[];
}

/** The progress of a load, stored in the database itself, so that an interrupted load goes on where it stopped. */
export const LOAD_TABLES = `
  CREATE TABLE IF NOT EXISTS bench_load (fingerprint text NOT NULL, record json);
  CREATE TABLE IF NOT EXISTS bench_tenant (
    place int PRIMARY KEY, tenant_id int NOT NULL, agent_key text NOT NULL, batches int NOT NULL DEFAULT 0)`;

/** The loaded databases of a run. Each is loaded when it is first asked for. */
export class Datasets {
  /** The loads of the databases that were asked for. */
  readonly loads: LoadRecord[] = [];
  readonly #known = new Map<number, Promise<Dataset>>();

  constructor(private readonly bench: Bench) {}

  /** The made data of `rows` events, loaded through the service, folded, and analysed. */
  of(rows: number): Promise<Dataset> {
    const known = this.#known.get(rows) ?? ensureDataset(this.bench, this.loads, rows);
    this.#known.set(rows, known);
    return known;
  }
}

/** The database of `rows` events: a kept one if it fits, otherwise one loaded now. */
async function ensureDataset(bench: Bench, loads: LoadRecord[], rows: number): Promise<Dataset> {
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
    loads.push(found.record);
  } else {
    const loaded = await load(bench, url, rows);
    loads.push(await withClient(url, (client) => finish(bench, client, loaded)));
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
