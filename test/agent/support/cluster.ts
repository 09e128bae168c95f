import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guidOf, row, timeOf, writer } from '../gaps/support';
import { AgentWorld } from './agent-world';
import { auditFileName } from './audit-files';
import { ClusterNode } from './cluster-node';
import { CompiledAgent } from './compiled-agent';

const TIMES = {
  ...{ reportPollMs: 20, reportMinMs: 50, reportMaxMs: 300, sharedGapWaitMs: 1_500 },
  ...{ retryFirstMs: 20, badBlockWaitMs: 500, statusMs: 10, statusMaxMs: 100 },
};

/** The numbers of records, both included. */
export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** The number of the record with this time. */
export const numberAt = (time: string): number => (Date.parse(time) - Date.parse(timeOf(0))) / 1_000;

/** Two nodes with one disk, of which one has it mounted, and an agent on each. The nodes share nothing else. */
export class Cluster {
  private active: 0 | 1 = 0;
  /** The number of blocks in each file. */
  private readonly blocks = new Map<number, number>();

  private constructor(
    private readonly program: CompiledAgent,
    private readonly worlds: readonly [AgentWorld, AgentWorld],
    readonly nodes: readonly [ClusterNode, ClusterNode],
  ) {}

  static async start(hostNames: readonly string[], central: object): Promise<Cluster> {
    const program = new CompiledAgent(TIMES);
    const worlds = [await AgentWorld.create(), await AgentWorld.create()] as const;
    const [disk, mountPoint] = ['disk', 'mounted'].map((name) => join(worlds[0].folder, name)) as [
      string,
      string,
    ];
    for (const folder of [disk, mountPoint]) mkdirSync(folder);
    const nodes = [0, 1].map((node) => {
      const { folder } = worlds[node] as AgentWorld;
      return ClusterNode.start({ hostName: hostNames[node] ?? '', folder, disk, mountPoint }, program);
    });
    const DirectFile = { AuditFilePath: join(mountPoint, '*.sqlaudit'), Shared: true };
    for (const world of worlds) {
      const Databases = [{ Name: 'Cluster', AuditSource: { Type: 'DirectFile', DirectFile } }];
      world.configure(central, { Databases, BatchMaxEvents: 2 });
    }
    const [first, second] = await Promise.all(nodes);
    if (!first || !second) throw new Error('a cluster has two nodes');
    await first.attach();
    return new Cluster(program, worlds, [first, second]);
  }

  startAgent(node: 0 | 1): Promise<void> {
    return this.nodes[node].startAgent(this.worlds[node].configPath);
  }

  /** Adds records to a file, where the disk is. */
  async write(file: number, records: readonly number[]): Promise<void> {
    const before = this.blocks.get(file) ?? 0;
    const blocks = records.map((n, i) =>
      writer.block([{ ...row(n), succeeded: true }], { sequence: before + i + 1 }),
    );
    this.blocks.set(file, before + records.length);
    const prologue = before === 0 ? [writer.prologue(guidOf(file))] : [];
    await this.nodes[this.active].append(auditFileName(file), Buffer.concat([...prologue, ...blocks]));
  }

  /** Removes files where the disk is, as rollover does. */
  remove(...files: readonly number[]): Promise<void> {
    return this.nodes[this.active].remove(...files.map(auditFileName));
  }

  async failOver(): Promise<void> {
    await this.nodes[this.active].detach();
    this.active = this.active === 0 ? 1 : 0;
    await this.nodes[this.active].attach();
  }

  state(node: 0 | 1): string | undefined {
    return this.worlds[node].statusOf('Cluster')?.state;
  }

  isCaughtUp(node: 0 | 1): boolean {
    return this.state(node) === 'idle';
  }

  /** Whether a node remembers where it is in a file, which it would know again after a kill. */
  hasBookmark(node: 0 | 1, file: number): boolean {
    const folder = join(this.worlds[node].dataDir, 'checkpoints');
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return names.some(
      (name) =>
        name.endsWith('.json') &&
        readFileSync(join(folder, name), 'utf8').toLowerCase().includes(guidOf(file).toLowerCase()),
    );
  }

  gapsReported(node: 0 | 1): number | undefined {
    return this.worlds[node].statusOf('Cluster')?.gaps.reported;
  }

  async close(): Promise<void> {
    for (const node of this.nodes) await node.close();
    for (const world of this.worlds) await world.close();
    this.program.remove();
  }
}
