import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enrollAt } from '../../../agent/cli/enroll';
import { systemClock } from '../../../agent/clock';
import { LineLog } from '../../../agent/log';
import { runAgent } from '../../../agent/run-agent';
import { AGENT_TIMES, type AgentTimes } from '../../../agent/times';
import { databaseEntry, FILES_2022 } from '../../agent/support/agent-world';
import { until } from '../../agent/support/until';

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

/** Agents of many hosts in this process, each with a folder of its own. They read the same audit files. */
export class Estate {
  private readonly folder = mkdtempSync(join(tmpdir(), 'estate-'));
  private readonly hosts = new AsyncLocalStorage<string>();
  private readonly running = new Map<string, () => Promise<unknown>>();
  private readonly errors: string[] = [];

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
      };
      writeFileSync(configPath, JSON.stringify(content));
      const stop = new AbortController();
      const log = new LineLog((line, level) => {
        if (level === 'error' && !line.includes('switched off by')) this.errors.push(`${host}: ${line}`);
      });
      const options = { configPath, dataDir: null, once: false, times: TIMES, clock: systemClock, log };
      const ended = runAgent({ ...options, print: () => {} }, stop.signal);
      this.running.set(host, () => {
        stop.abort();
        return ended;
      });
    });
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
