import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../clock';
import type { Environment } from '../source/environment';
import { type FromAgent, type FromLauncher, fromAgent, LAUNCHED, type Told } from './launcher-port';

export interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly told: Told;
  hear(message: FromAgent): void;
}

/** An agent that the launcher has started. */
export interface AgentProcess {
  /** The exit code; null: a signal ended it. */
  readonly ended: Promise<number | null>;
  tell(message: FromLauncher): void;
  /** Ends it, by force if it does not end by itself in time. */
  stop(afterMs: number, clock: Clock): Promise<void>;
}

/** Starts a file with the Node.js and the options of this process. */
export function startAgent({ file, args, env, told, hear }: Start): AgentProcess {
  const child = spawn(process.execPath, [...process.execArgv, file, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...env, [LAUNCHED]: JSON.stringify(told) },
    windowsHide: true,
  });
  child.on('message', (message) => {
    const { data } = fromAgent.safeParse(message);
    if (data) hear(data);
  });
  const ended = endOf(child);
  const tell = (message: FromLauncher) => {
    // An agent that ends has left already.
    if (child.connected) child.send(message, () => {});
  };
  return {
    ended,
    tell,
    async stop(afterMs, clock) {
      tell({ kind: 'stop' });
      const over = new AbortController();
      const force = clock.wait(afterMs, over.signal).then(() => {
        if (!over.signal.aborted) child.kill('SIGKILL');
      });
      await ended;
      over.abort();
      await force;
    },
  };
}

const endOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    // It was not started at all.
    child.once('error', () => resolve(null));
  });
