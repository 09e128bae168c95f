import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { clusterNodes, onNode } from '../../../support/citus';
import { until } from '../../../support/until';
import type { TestTenant, World } from '../../../support/world';

/** A worker of the cluster on this machine, which can be killed and started again. */
export class Worker {
  private constructor(
    readonly node: URL,
    private readonly dataDirectory: string,
    private readonly pgCtl: string,
  ) {}

  /** The first worker of the cluster. @throws Error if that worker does not run on this machine */
  static async first(): Promise<Worker> {
    const [, ...workers] = await clusterNodes();
    const found = await Worker.find(workers[0] as URL);
    if (!found) throw new Error('the worker does not run on this machine, so it cannot be killed');
    return found;
  }

  /** @returns two new tenants: the rows of `lost` are on this worker, those of `left` are on another */
  async tenantsOf(world: World): Promise<{ readonly lost: TestTenant; readonly left: TestTenant }> {
    const [coordinator] = await clusterNodes();
    const database = new URL(world.database.databaseUrl ?? '').pathname.slice(1);
    const places = new Map<boolean, TestTenant>();
    while (places.size < 2) {
      const tenant = await world.tenant();
      const [row] = await onNode<{ port: number }>(
        coordinator,
        database,
        `SELECT n.nodeport AS port FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
         WHERE p.shardid = get_shard_id_for_distribution_column('tenant', ${tenant.tenantId})`,
      );
      places.set(row?.port === Number(this.node.port), tenant);
    }
    return { lost: places.get(true) as TestTenant, left: places.get(false) as TestTenant };
  }

  /** @returns null if the worker does not run on this machine */
  static async find(node: URL): Promise<Worker | null> {
    const [found] = await onNode<{ data: string; bin: string }>(
      node,
      'postgres',
      `SELECT current_setting('data_directory') AS data, (SELECT setting FROM pg_config WHERE name = 'BINDIR') AS bin`,
    );
    const isHere = found && existsSync(path.join(found.data, 'postmaster.pid'));
    return isHere ? new Worker(node, found.data, path.join(found.bin, 'pg_ctl')) : null;
  }

  /** Ends the worker as a loss of power does: without an orderly stop. */
  kill(): void {
    const [pid] = readFileSync(path.join(this.dataDirectory, 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
  }

  /**
   * Starts the worker as the owner of its files, once its old processes have ended.
   * Asynchronous, since the service of a test runs in this process and must not stand still during the recovery.
   */
  async start(): Promise<void> {
    const answers = () => onNode(this.node, 'postgres', 'SELECT 1').catch(() => []);
    if ((await answers()).length > 0) return;
    const { uid, gid } = statSync(this.dataDirectory);
    const identity = process.getuid?.() === 0 ? { uid, gid } : {};
    const start = async () => {
      const log = path.join(this.dataDirectory, 'restart.log');
      const child = spawn(this.pgCtl, ['-w', '-D', this.dataDirectory, '-l', log, 'start'], {
        ...identity,
        cwd: this.dataDirectory,
        stdio: 'ignore',
      });
      const [status] = await once(child, 'exit');
      return status;
    };
    await until(start, (status) => status === 0, 60_000);
    await until(answers, (rows) => rows.length === 1, 60_000);
  }
}
