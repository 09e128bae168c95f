import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { MemoryWatch } from './memory';

const READY_MS = 60_000;

export interface ChildOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  readonly cwd?: string;
}

/** A Node server in a process of its own that says `listening on URL` on stdout. */
export class ChildServer {
  readonly memory: MemoryWatch;

  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
  ) {
    this.memory = new MemoryWatch(child.pid);
  }

  static async start(script: string, { env, nodeArgs = [], cwd }: ChildOptions): Promise<ChildServer> {
    const child = spawn(process.execPath, [...nodeArgs, script], {
      env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd,
    });
    // The log is read and dropped; only its end is kept, for the report of a failed start.
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-2_000);
    });
    const url = await new Promise<string>((resolve, reject) => {
      const fail = () => reject(new Error(`${script} did not start: ${log}`));
      const late = setTimeout(fail, READY_MS);
      child.once('exit', fail);
      createInterface({ input: child.stdout }).on('line', (line) => {
        const [, found] = /^listening on (\S+)$/.exec(line) ?? [];
        if (!found) return;
        clearTimeout(late);
        resolve(found);
      });
    });
    return new ChildServer(child, url);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Stops the server gracefully. @returns its peak memory in MB */
  async close(): Promise<number | null> {
    const peak = this.memory.stop();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return peak;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await gone;
    return peak;
  }
}
