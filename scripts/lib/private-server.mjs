import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_MS = 60_000;
const STOP_MS = 10_000;
const START_ATTEMPTS = 40;
const RETRY_MS = 250;

/**
 * A private server process on a free loopback port, with its data in a temporary folder.
 * @param plan what is started: `folder` (holds the home), `prepare(home)`, `command(home, port)`, `url(port)`, `ready` (line that says it
 * accepts connections), `retry` (line of a start that may succeed later), `ids` (user to run as), `stopSignal`,
 * `deathSignal` (ends it at once)
 */
export class PrivateServer {
  #plan;
  #home;
  #child;
  #output = '';

  constructor(plan) {
    this.#plan = plan;
  }

  get pid() {
    return this.#child?.pid;
  }

  get url() {
    return this.#plan.url(this.port);
  }

  /** Starts the server for the first time, or after `kill` or `stop` on the same port and data. */
  async start() {
    if (this.#child !== undefined) throw new Error('the server is running already');
    if (this.#home === undefined) await this.#prepare();
    for (let attempt = 1; ; attempt++) {
      if (await this.#tryStart()) return;
      const mayRetry = this.#plan.retry.test(this.#output);
      if (!mayRetry || attempt === START_ATTEMPTS)
        throw new Error(`the server did not start: ${this.#tail()}`);
      await sleep(RETRY_MS);
    }
  }

  /** Sends a signal (SIGSTOP, SIGCONT and SIGKILL also to its worker processes), and waits if it ends the server. */
  async kill(signal = 'SIGKILL') {
    const child = this.#child;
    if (child === undefined) throw new Error('the server is not running');
    const freezing = signal === 'SIGSTOP' || signal === 'SIGCONT';
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (freezing || signal === 'SIGKILL') this.#signalAll(signal);
    else child.kill(signal);
    if (!freezing) await gone;
  }

  /** Shuts the server down, and keeps its port and data. */
  async stop(signal = this.#plan.stopSignal) {
    if (this.#child === undefined) return;
    await this.kill('SIGCONT');
    const hard = setTimeout(() => this.#signalAll('SIGKILL'), STOP_MS);
    await this.kill(signal);
    clearTimeout(hard);
  }

  /** Ends the server at once and removes its data. */
  async close() {
    await this.stop(this.#plan.deathSignal);
    this.dispose();
  }

  /** Like `close`, but synchronous and forced, as the last act of an ending process. */
  dispose() {
    this.#signalAll('SIGKILL');
    if (this.#home) rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
    this.#home = undefined;
  }

  #signalAll(signal) {
    const { pid } = this;
    for (const each of pid ? [...childrenOf(pid), pid] : []) sendSignal(each, signal);
  }

  async #prepare() {
    const { folder, ids } = this.#plan;
    this.#home = mkdtempSync(join(folder, 'audit-activity-'));
    if (ids) chownSync(this.#home, ids.uid, ids.gid);
    this.#plan.prepare(this.#home);
    this.port = await freePort();
  }

  /** On Linux, the kernel ends the server when this process ends, for whatever reason. */
  #command() {
    const setpriv = ['setpriv', '--pdeathsig', this.#plan.deathSignal.slice('SIG'.length), '--'];
    const isKnown = spawnSync(setpriv[0], [...setpriv.slice(1), 'true']).status === 0;
    return [...(isKnown ? setpriv : []), ...this.#plan.command(this.#home, this.port)];
  }

  #tryStart() {
    const [program, ...args] = this.#command();
    const child = spawn(program, args, {
      ...this.#plan.ids,
      cwd: this.#home,
      env: this.#plan.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#output = '';
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`the server is not ready: ${this.#tail()}`)), READY_MS);
      const settle = (ready) => {
        clearTimeout(late);
        resolve(ready);
      };
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text) => {
          this.#output = (this.#output + text).slice(-8_000);
          if (this.#plan.ready.test(this.#output)) settle(true);
        });
      }
      child.once('error', reject);
      child.once('exit', () => {
        this.#child = undefined;
      });
      child.once('close', () => settle(false));
    });
  }

  #tail() {
    return this.#output.trim().split('\n').slice(-3).join(' | ');
  }
}

/** A port below the range of outgoing connections, so that it is still free when a killed server starts again. */
async function freePort() {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) return port;
  }
  throw new Error('no free port was found between 20000 and 32000');
}

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** The server's worker processes. On systems that do not list them (not Linux), workers notice the end of their parent. */
function childrenOf(pid) {
  const list = `/proc/${pid}/task/${pid}/children`;
  return existsSync(list) ? readFileSync(list, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
}

function sendSignal(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
