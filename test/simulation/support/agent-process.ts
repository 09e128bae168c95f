import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, stop } from 'esbuild';
import { Looks } from './looks';
import type { ProbeSettings, Signal } from './probe';

/** The agent with its probe in one file, built from the current sources. */
export class AgentProgram {
  private constructor(
    private readonly folder: string,
    readonly path: string,
  ) {}

  static async build(): Promise<AgentProgram> {
    const folder = await mkdtemp(join(tmpdir(), 'audit-agent-simulation-'));
    const path = join(folder, 'agent.js');
    await build({
      entryPoints: [join(__dirname, 'probed-agent.ts')],
      bundle: true,
      platform: 'node',
      target: 'node20',
      outfile: path,
      logLevel: 'error',
      // The bundle is a CommonJS file, but some of its sources are ES modules.
      banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
      define: { 'import.meta.url': 'bundleUrl' },
    });
    await stop();
    return new AgentProgram(folder, path);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const LOG_CHARS_MAX = 20_000;
/** Far longer than any step takes; only a defect waits this long. */
const SILENCE_MS = 60_000;

/** An agent that is started, killed and started again. */
export class AgentProcess {
  /** The end of what the agent wrote to stderr. */
  log = '';
  private child: ChildProcess | null = null;
  private readonly signals = new EventEmitter();
  private looks: Looks;

  constructor(
    private readonly program: AgentProgram,
    private readonly settings: ProbeSettings,
  ) {
    this.looks = this.freshLooks();
  }

  get isUp(): boolean {
    return this.child !== null;
  }

  start(): void {
    if (this.child) return;
    const { configPath } = this.settings;
    const child = spawn(process.execPath, [this.program.path, 'run', '--config', configPath], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, SIMULATION_PROBE: JSON.stringify(this.settings) },
    });
    this.looks = this.freshLooks();
    this.child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.log = (this.log + text).slice(-LOG_CHARS_MAX);
    });
    child.on('message', (signal: Signal) => {
      this.looks.note(signal);
      this.signals.emit(signal.kind);
    });
    child.once('exit', () => {
      if (this.child === child) this.child = null;
      this.signals.emit('exit');
    });
  }

  /** Ends the agent; by default it gets no chance to react. */
  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { child } = this;
    if (!child) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  /** Whether the agent must by now have read what was on disk at that time. */
  hasRead(sinceMs: number): boolean {
    return this.isUp && this.looks.hasRead(sinceMs);
  }

  /** Whether the agent must by now have copied what was on disk at that time, if it copies it at all. */
  hasSpooled(sinceMs: number): boolean {
    return this.isUp && this.looks.hasSpooled(sinceMs);
  }

  /** Whether the agent must by now have found the files that were there at that time. */
  hasLooked(sinceMs: number): boolean {
    return this.isUp && this.looks.hasLooked(sinceMs);
  }

  get looksText(): string {
    return this.isUp ? this.looks.describe() : 'the agent is down';
  }

  /** Adds a line of the simulation to the agent's log. */
  note(text: string): void {
    this.log = `${this.log}${new Date().toISOString()} ----- ${text}\n`.slice(-LOG_CHARS_MAX);
  }

  private freshLooks(): Looks {
    return new Looks(this.settings.times.spoolAfterMs ?? Number.POSITIVE_INFINITY);
  }

  /** Resolves after `count` signals of a kind, or earlier if the agent ends or the kind is absent for `ticksMax`. */
  async signalled(kind: Signal['kind'], count = 1, ticksMax = Number.POSITIVE_INFINITY): Promise<void> {
    if (!this.isUp) return;
    await new Promise<void>((resolve, reject) => {
      let [left, ticksLeft] = [count, ticksMax];
      const timer = setTimeout(() => end(new Error(`the agent fell silent:\n${this.log}`)), SILENCE_MS);
      const seen = () => --left === 0 && end();
      const tick = () => --ticksLeft === 0 && end();
      const exit = () => end();
      const end = (error?: Error) => {
        clearTimeout(timer);
        this.signals.off(kind, seen).off('tick', tick).off('exit', exit);
        if (error) reject(error);
        else resolve();
      };
      this.signals.on(kind, seen).on('tick', tick).on('exit', exit);
    });
  }
}
