import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunOptions } from '../../../agent/agent-context';
import { enrollAt } from '../../../agent/cli/enroll';
import { systemClock } from '../../../agent/clock';
import { LineLog } from '../../../agent/log';
import { runAgent } from '../../../agent/run-agent';
import { AGENT_TIMES, type AgentTimes } from '../../../agent/times';
import type { AgentProcess, Start } from '../../../agent/update/agent-process';
import { launch } from '../../../agent/update/launch';
import type { Launcher } from '../../../agent/update/launcher-port';
import { databaseEntry, FILES_2022 } from '../../agent/support/agent-world';
import { until } from '../../agent/support/until';
import { KEYS } from '../../agent/update/signed';

/** Shorter than those of agents, and long enough that some hundred agents share a processor. */
const TIMES: AgentTimes = {
  ...AGENT_TIMES,
  reportPollMs: 500,
  reportMinMs: 500,
  reportMaxMs: 3_000,
  keyCheckMs: 3_000,
  statusMs: 5_000,
  stopGraceMs: 500,
};
const WAIT_MS = 600_000;
const TRIAL_MS = 30_000;
/** A package with this hash ends as soon as it is started. */
type IsBad = (sha256: string) => boolean;

/** Agents of many hosts in this process, each with a folder of its own. They read the same audit files. */
export class Estate {
  private readonly folder = mkdtempSync(join(tmpdir(), 'estate-'));
  private readonly hosts = new AsyncLocalStorage<string>();
  private readonly running = new Map<string, () => Promise<unknown>>();
  private readonly errors: string[] = [];

  /** Which packages do not work. */
  isBad: IsBad = () => false;

  private constructor(private readonly url: string) {}

  static async open(url: string): Promise<Estate> {
    const estate = new Estate(url);
    jest.spyOn(os, 'hostname').mockImplementation(() => estate.hosts.getStore() ?? 'none');
    return estate;
  }

  /** Enrolls a host with a token, and starts its agent. */
  async start(host: string, token: string, AllowedSettings: readonly string[]): Promise<void> {
    await this.hosts.run(host, async () => {
      const { key, tenantId } = await enrollAt(60_000)(this.url, token);
      const folder = join(this.folder, host);
      mkdirSync(folder);
      const configPath = join(folder, 'agent.json');
      const content = {
        CentralApi: { BaseUrl: this.url, ApiKey: key, TenantId: tenantId, AllowedSettings },
        EventHubPublisher: { Databases: [databaseEntry('Ledger', FILES_2022[0] ?? '')] },
        Updates: { PublicKey: KEYS.publicKey },
      };
      writeFileSync(configPath, JSON.stringify(content));
      const stop = new AbortController();
      const log = new LineLog((line, level) => {
        if (level === 'error' && !/switched off by|is taken back/.test(line))
          this.errors.push(`${host}: ${line}`);
      });
      const common = { dataDir: join(folder, 'agent-data'), times: TIMES, clock: systemClock, log };
      const start = (given: Start) => this.play(host, given, { ...common, configPath });
      const updates = async () => ({ publicKey: KEYS.publicKey, trialMs: TRIAL_MS });
      const ended = launch(
        { ...common, own: 'installed', args: [], env: {}, updates, start, onReady: () => {} },
        stop.signal,
      );
      this.running.set(host, () => {
        stop.abort();
        return ended;
      });
    });
  }

  /** Runs an agent in this process, whatever file is started. */
  private play(
    host: string,
    { hear, told }: Start,
    options: Pick<RunOptions, 'configPath' | 'dataDir' | 'times' | 'clock' | 'log'>,
  ): AgentProcess {
    if (told.running !== null && this.isBad(told.running.sha256))
      return { ended: Promise.resolve(1), tell: () => {}, stop: async () => {} };
    const stop = new AbortController();
    let proved = () => {};
    const launcher: Launcher = {
      ...told,
      ready: () => {},
      acknowledged: () => hear({ kind: 'acknowledged' }),
      install: (offer) => hear({ kind: 'install', offer }),
      onProved: (then) => {
        proved = then;
      },
    };
    const ended = this.hosts.run(host, () =>
      runAgent({ ...options, once: false, print: () => {}, launcher }, stop.signal),
    );
    return {
      ended,
      tell: ({ kind }) => (kind === 'proved' ? proved() : stop.abort()),
      async stop() {
        stop.abort();
        await ended;
      },
    };
  }

  async stop(host: string): Promise<void> {
    await this.running.get(host)?.();
    this.running.delete(host);
  }

  /** What agents logged as errors. */
  failures(): readonly string[] {
    return this.errors;
  }

  until<T>(what: string, check: () => Promise<T>): Promise<NonNullable<T>> {
    return until(what, check, WAIT_MS);
  }

  async close(): Promise<void> {
    await Promise.all([...this.running.keys()].map((host) => this.stop(host)));
    jest.restoreAllMocks();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
