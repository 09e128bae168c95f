import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { clusterNodes, onNode } from '../../test/support/citus';

export const DATABASE = 'bench_cluster';
const LOGINS = ['audit_owner LOGIN', 'audit_app LOGIN', 'audit_activity_service NOLOGIN'];

/** The database of the run on a coordinator and its workers. The last worker is spare, and is added later. */
export class Cluster {
  private constructor(
    readonly coordinator: URL,
    readonly workers: readonly URL[],
    readonly spare: URL,
  ) {}

  static async make(root: string, shards: number): Promise<Cluster> {
    const [coordinator, ...workers] = await clusterNodes();
    const spare = workers.pop();
    if (!spare || workers.length === 0)
      throw new Error('TEST_CITUS_WORKERS names fewer than two workers: one is lost, one is added');
    const cluster = new Cluster(coordinator, workers, spare);
    await cluster.#prepare();
    for (const worker of workers) await cluster.add(worker);
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(root, 'dist/src/cli/main.js'), 'distribute', '--shards', String(shards)],
      { env: { PATH: process.env.PATH, ...cluster.settings }, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(stderr);
    return cluster;
  }

  /** Of the service. */
  get settings() {
    return { DATABASE_URL: this.#urlOf('audit_app'), MIGRATION_DATABASE_URL: this.#urlOf('audit_owner') };
  }

  add(worker: URL) {
    return this.ask(`SELECT citus_add_node('${worker.hostname}', ${worker.port})`);
  }

  ask<T extends object>(statement: string): Promise<T[]> {
    return onNode<T>(this.coordinator, DATABASE, statement);
  }

  /** Moves shards to workers that have too few, and waits for it. @returns how many moved, and how long it took */
  async rebalance(): Promise<{ readonly moved: number; readonly seconds: number }> {
    const before = new Set((await this.#placements()).map((row) => JSON.stringify(row)));
    const startMs = performance.now();
    await this.ask('SELECT citus_rebalance_start()');
    await this.ask('SELECT citus_rebalance_wait()');
    const moved = (await this.#placements()).filter((row) => !before.has(JSON.stringify(row)));
    return { moved: moved.length, seconds: (performance.now() - startMs) / 1000 };
  }

  /** @returns for each tenant, the port of the node that holds its rows */
  async placesOf(tenantIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.ask<{ id: number; port: number }>(
      `SELECT t.id, n.nodeport AS port FROM unnest('{${tenantIds.join()}}'::int[]) AS t (id)
       JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('tenant', t.id)
       JOIN pg_dist_node n USING (groupid)`,
    );
    return new Map(rows.map(({ id, port }) => [String(id), port]));
  }

  async drop(): Promise<void> {
    for (const node of [this.coordinator, ...this.workers, this.spare])
      await onNode(node, 'postgres', `DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
  }

  #placements() {
    return this.ask('SELECT shardid, groupid FROM pg_dist_placement ORDER BY 1');
  }

  async #prepare(): Promise<void> {
    await this.drop();
    for (const node of [this.coordinator, ...this.workers, this.spare]) {
      for (const login of LOGINS) await onNode(node, 'postgres', `CREATE ROLE ${login}`).catch(() => {});
      await onNode(
        node,
        'postgres',
        'GRANT audit_activity_service TO audit_owner, audit_app',
        `CREATE DATABASE ${DATABASE}`,
      );
      await onNode(
        node,
        DATABASE,
        'CREATE EXTENSION citus',
        'GRANT CREATE, USAGE ON SCHEMA public TO audit_owner',
      );
    }
    const { hostname, port } = this.coordinator;
    await this.ask(`SELECT citus_set_coordinator_host('${hostname}', ${port})`);
  }

  #urlOf(login: string): string {
    const url = new URL(this.coordinator);
    url.username = login;
    url.password = '';
    url.pathname = `/${DATABASE}`;
    return url.href;
  }
}
