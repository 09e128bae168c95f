import type { Clock } from '../clock';
import { errorText, type Log } from '../log';
import type { Environment } from '../source/environment';
import type { AgentTimes } from '../times';
import { AGENT_BUILD, AGENT_VERSION } from '../version';
import type { AgentProcess, startAgent } from './agent-process';
import { isSigned, type SignedPackage } from './offer';
import { PackageFolder } from './package-folder';
import {
  currentOf,
  type KeptPackage,
  NO_PACKAGE,
  UpdateFile,
  type UpdateState,
  withoutCurrent,
  withoutOlder,
  withProved,
} from './update-state';

/** A package that was started so often without being proved does not work. */
const STARTS_MAX = 5;
/** A package is proved when it has lived for this share of the trial, and something is acknowledged. */
const SETTLED = 0.1;

export interface LaunchOptions {
  readonly dataDir: string;
  /** The file of the installed agent. */
  readonly own: string;
  /** The command line of the agent. */
  readonly args: readonly string[];
  readonly env: Environment;
  /** As the configuration says now; null: it could not be read since the start. */
  readonly updates: () => Promise<{ readonly publicKey: string | null; readonly trialMs: number } | null>;
  readonly start: typeof startAgent;
  readonly times: AgentTimes;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when publishing begins, once. */
  onReady(): void;
}

/** How a run of an agent came to its end. */
type End =
  | { readonly kind: 'stopped' | 'unproved' }
  | { readonly kind: 'ended'; readonly code: number | null }
  | { readonly kind: 'install'; readonly offer: SignedPackage };

/**
 * Runs the installed agent or a package in its place, one at a time, each as a process of its own. A package that does
 * not work gives way to the version before. The bookmarks are the agents' own: each begins where the one before it, which
 * has ended, has left them.
 * @returns the exit code
 */
export async function launch(options: LaunchOptions, stop: AbortSignal): Promise<number> {
  const launcher = new Launcher(options, await new UpdateFile(options.dataDir).load());
  while (!stop.aborted) {
    const current = await launcher.next();
    const end = await launcher.run(current, stop);
    await launcher.noteEnd(current, end);
    if (stop.aborted || end.kind !== 'ended') continue;
    if (current === null) return end.code ?? 1;
    options.log.warn(`the agent ${current.version} has ended by itself (exit code ${end.code})`);
    await options.clock.wait(options.times.packageRestartMs, stop);
  }
  return 0;
}

class Launcher {
  private readonly file: UpdateFile;
  private readonly folder: PackageFolder;
  private trialMs = 0;
  private isReady = false;

  constructor(
    private readonly options: LaunchOptions,
    private state: UpdateState,
  ) {
    this.file = new UpdateFile(options.dataDir);
    this.folder = new PackageFolder(options.dataDir);
  }

  /** What runs next, looked at now: its signature, its bytes, and how often it was started. @returns null: the installed agent */
  async next(): Promise<KeptPackage | null> {
    const updates = await this.options.updates();
    // Nothing says which key has to have signed a package. The installed agent says what is wrong with the file.
    if (updates === null) return null;
    const { publicKey, trialMs } = updates;
    this.trialMs = trialMs;
    let state = withoutOlder(this.state);
    let current = currentOf(state);
    for (; current !== null; current = currentOf(state)) {
      const reason = await this.reasonAgainst(current, state.starts, publicKey);
      if (reason === null) break;
      state = this.taken(state, current, reason);
    }
    await this.keep({ ...state, starts: current === null ? 0 : state.starts + 1 });
    const kept = [state.trial, state.installed, state.before].filter((one) => one !== null);
    await this.folder.keepOnly(kept).catch(() => {
      // A file too many harms nobody. It is tried again with the next start.
    });
    return current;
  }

  /** Runs an agent until it has ended, by itself or because it has to. */
  async run(current: KeptPackage | null, stop: AbortSignal): Promise<End> {
    const { clock, log, times } = this.options;
    const isTrial = current !== null && this.state.trial === current;
    log.info(`starts the agent ${current?.version ?? AGENT_VERSION}${isTrial ? ', on trial' : ''}`);
    const over = new AbortController();
    let running: AgentProcess | null = null;
    const end = await new Promise<End>((resolve) => {
      const known = { isAcknowledged: false, isSettled: current === null, isProved: !isTrial };
      const look = async () => {
        if (current === null || !known.isAcknowledged || !known.isSettled) return;
        await this.keep(withProved(this.state));
        if (!known.isProved) log.info(`the agent ${current.version} is installed`);
        known.isProved = true;
        running?.tell({ kind: 'proved' });
      };
      running = this.start(current, isTrial, {
        acknowledged: () => {
          known.isAcknowledged = true;
          void look();
        },
        install: (offer) => known.isProved && resolve({ kind: 'install', offer }),
      });
      void running.ended.then((code) => resolve({ kind: 'ended', code }));
      const end = () => resolve({ kind: 'stopped' });
      stop.addEventListener('abort', end, { once: true, signal: over.signal });
      if (stop.aborted) end();
      if (current === null) return;
      void clock.wait(this.trialMs * SETTLED, over.signal).then(() => {
        known.isSettled = !over.signal.aborted;
        void look();
      });
      void clock.wait(this.trialMs, over.signal).then(() => {
        if (!known.isProved) resolve({ kind: 'unproved' });
      });
    });
    over.abort();
    await (running as AgentProcess | null)?.stop(times.packageStopMs, clock);
    return end;
  }

  /** Notes how a run has ended. */
  async noteEnd(current: KeptPackage | null, end: End): Promise<void> {
    const { state } = this;
    if (end.kind === 'install') {
      const over = { version: AGENT_VERSION, build: AGENT_BUILD };
      await this.keep({ ...state, trial: { ...end.offer, over }, starts: 0 });
    } else if (end.kind === 'unproved' && current !== null) {
      const reason = `the service acknowledged nothing within ${Math.round(this.trialMs / 1000)} s`;
      await this.keep(this.taken(state, current, reason));
    } else if (end.kind === 'stopped') await this.keep({ ...state, starts: Math.max(0, state.starts - 1) });
  }

  private start(
    current: KeptPackage | null,
    isTrial: boolean,
    heard: { acknowledged(): void; install(offer: SignedPackage): void },
  ): AgentProcess {
    const { args, env, own, start } = this.options;
    const running = current && { sha256: current.sha256, isTrial };
    return start({
      file: current === null ? own : this.folder.fileOf(current),
      args,
      env,
      told: { running, ended: this.state.ended },
      hear: (message) => {
        if (message.kind === 'ready') this.ready();
        else if (message.kind === 'acknowledged') heard.acknowledged();
        else heard.install(message.offer);
      },
    });
  }

  /** Why a package cannot be started; null: it can. */
  private async reasonAgainst(
    current: KeptPackage,
    starts: number,
    publicKey: string | null,
  ): Promise<string | null> {
    if (publicKey === null || !isSigned(current, publicKey))
      return 'it is not signed by the key of Updates.PublicKey';
    if (!(await this.folder.has(current))) return 'its file in the data folder is not as it was signed';
    return starts < STARTS_MAX ? null : `it was started ${starts} times, and has ended each time`;
  }

  private taken(state: UpdateState, { version }: KeptPackage, reason: string): UpdateState {
    this.options.log.error(`the agent ${version} is taken back: ${reason}`);
    return withoutCurrent(state, reason);
  }

  /** The new state counts from here on. It counts after a crash once it is on disk. */
  private async keep(state: UpdateState): Promise<void> {
    const before = this.state;
    this.state = state;
    if (JSON.stringify(state) === JSON.stringify(before) || (before === NO_PACKAGE && isNothing(state)))
      return;
    try {
      await this.file.save(state);
    } catch (error) {
      this.options.log.error(`the state of packages cannot be saved: ${errorText(error)}`);
    }
  }

  private ready(): void {
    if (!this.isReady) this.options.onReady();
    this.isReady = true;
  }
}

const isNothing = (state: UpdateState): boolean => JSON.stringify(state) === JSON.stringify(NO_PACKAGE);
