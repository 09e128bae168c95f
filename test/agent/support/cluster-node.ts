import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { AgentProgram } from './compiled-agent';

/** Mounts and the host's name are the node's own. Whoever is not root is root within a namespace of users. */
const UNSHARE = [
  ...['--mount', '--uts', '--propagation', 'private'],
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
];
const canUnshare = spawnSync('unshare', [...UNSHARE, 'true']).status === 0;
/** For tests with nodes of a cluster: namespaces are Linux's, and may be forbidden. */
export const withNodes = canUnshare ? it : it.skip;

interface NodeOptions {
  readonly hostName: string;
  /** Of the node alone. */
  readonly folder: string;
  /** The shared disk, and where the node that has it sees it. */
  readonly disk: string;
  readonly mountPoint: string;
}

/** A node of a failover cluster: a shell in namespaces of its own, and the agent that runs there. */
export class ClusterNode {
  private readonly shell: ChildProcessByStdio<Writable, Readable, null>;
  private agent: number | null = null;

  private constructor(
    private readonly options: NodeOptions,
    private readonly program: AgentProgram,
  ) {
    this.shell = spawn('unshare', [...UNSHARE, 'sh'], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.shell.stdout.setEncoding('utf8');
  }

  static async start(options: NodeOptions, program: AgentProgram): Promise<ClusterNode> {
    const node = new ClusterNode(options, program);
    await node.run(`hostname '${options.hostName}'`);
    return node;
  }

  /** Mounts the disk here. */
  attach(): Promise<string> {
    return this.run(`mount --bind '${this.options.disk}' '${this.options.mountPoint}'`);
  }

  /** Takes the disk away, whoever has a file of it open. */
  detach(): Promise<string> {
    return this.run(`umount --lazy '${this.options.mountPoint}'`);
  }

  /** Writes to the end of a file of the disk, as the node sees it. */
  async append(name: string, bytes: Buffer): Promise<void> {
    const written = join(this.options.folder, 'written');
    writeFileSync(written, bytes);
    await this.run(`cat '${written}' >>'${join(this.options.mountPoint, name)}'`);
  }

  async remove(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.run(`rm '${join(this.options.mountPoint, name)}'`);
  }

  async startAgent(configPath: string): Promise<void> {
    const log = join(this.options.folder, 'agent.log');
    const command = [process.execPath, this.program.main, 'run', '--config', configPath];
    this.agent = Number(await this.run(`'${command.join("' '")}' >>'${log}' 2>&1 & echo $!`));
  }

  async endAgent(signal: 'TERM' | 'KILL'): Promise<void> {
    if (this.agent === null) return;
    await this.run(`kill -${signal} ${this.agent}; wait ${this.agent} || true`);
    this.agent = null;
  }

  async close(): Promise<void> {
    await this.endAgent('KILL');
    const ended = new Promise((resolve) => this.shell.once('exit', resolve));
    this.shell.stdin.end();
    await ended;
    rmSync(this.options.folder, { recursive: true, force: true });
  }

  /** @returns what the command prints. @throws if it fails */
  private run(command: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let output = '';
      const take = (text: string) => {
        output += text;
        const [all, printed = '', code] = /^(.*)\0(\d+)\n$/s.exec(output) ?? [];
        if (all === undefined) return;
        this.shell.stdout.off('data', take);
        if (code === '0') resolve(printed.trim());
        else reject(new Error(`${command}: ${code}: ${printed}`));
      };
      this.shell.stdout.on('data', take);
      this.shell.stdin.write(`exec 2>&1\n${command}\nprintf '\\0%s\\n' $?\n`);
    });
  }
}
