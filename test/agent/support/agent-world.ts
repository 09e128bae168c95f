import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../agent/clock';
import { LineLog } from '../../../agent/log';
import { runAgent } from '../../../agent/run-agent';
import { type AgentStatus, agentStatus, type DatabaseStatus } from '../../../agent/status/database-status';
import { statusPath } from '../../../agent/status/status-file';
import { AGENT_TIMES, type AgentTimes } from '../../../agent/times';
import { AGENT_KEY, FakeIngestService } from './fake-ingest-service';

export const FIXTURES = join(__dirname, '../../fixtures/sqlaudit');
export const FILES_2022 = auditFilesOf('schema-2022');
export const FILES_2017 = auditFilesOf('schema-2017');

/** Waiting times for tests, as short as possible. */
export const QUICK: AgentTimes = {
  ...AGENT_TIMES,
  joinWaitMs: 50,
  badBlockWaitMs: 150,
  retryFirstMs: 5,
  retryMaxMs: 20,
  refusedRetryMs: 20,
  onceBudgetMs: 5_000,
  stopGraceMs: 200,
  restartMs: 20,
  reportPollMs: 10,
  reportMinMs: 50,
  reportMaxMs: 200,
  reportLastMs: 200,
  reportUnknownMs: 100,
  sharedGapWaitMs: 150,
  statusMs: 10,
  statusMaxMs: 100,
  storeTimeoutMs: 5_000,
  metadataTimeoutMs: 300,
  storeRetryMs: 3,
};

/** A folder with audit files and a configuration, a fake service, and agents that run in this process. */
export class AgentWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'audit-agent-'));
  readonly auditFolder = join(this.folder, 'audit');
  readonly configPath = join(this.folder, 'agent.json');
  readonly dataDir = join(this.folder, 'agent-data');
  /** Everything the agents wrote. */
  log = '';
  summary: string[] = [];
  /** The environment of the agents. */
  env: Record<string, string> = {};
  private readonly running: { stop(): Promise<number> }[] = [];

  private constructor(readonly service: FakeIngestService) {
    mkdirSync(this.auditFolder);
    this.configure();
  }

  static async create(): Promise<AgentWorld> {
    return new AgentWorld(await FakeIngestService.start());
  }

  async close(): Promise<void> {
    await Promise.all(this.running.map((agent) => agent.stop()));
    await this.service.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Writes the configuration; by default of one database "Payroll". */
  configure(central: object = {}, publisher: object = {}): void {
    const content = {
      CentralApi: { BaseUrl: this.service.url, ApiKey: AGENT_KEY, TenantId: '7', ...central },
      EventHubPublisher: {
        Enabled: true,
        PollIntervalMs: 10,
        BatchMaxAgeMs: 0,
        Databases: [databaseEntry('Payroll', 'audit/*.sqlaudit')],
        ...publisher,
      },
    };
    writeFileSync(this.configPath, JSON.stringify(content, null, 2));
  }

  /** Copies audit files to where the agent looks. */
  copy(paths: readonly string[]): void {
    for (const path of paths) copyFileSync(path, this.inAudit(path));
  }

  inAudit(path: string): string {
    return join(this.auditFolder, path.slice(path.lastIndexOf('/') + 1));
  }

  /** Runs the agent once, as with --once. @returns the exit code */
  async once(times: Partial<AgentTimes> = {}): Promise<number> {
    return this.run(true, times, new AbortController().signal);
  }

  /** Starts an agent that follows; closing the world stops it. */
  follow(times: Partial<AgentTimes> = {}): { stop(): Promise<number> } {
    const controller = new AbortController();
    const ended = this.run(false, times, controller.signal);
    const agent = {
      stop: () => {
        controller.abort();
        return ended;
      },
    };
    this.running.push(agent);
    return agent;
  }

  /** The content of the status file; null if there is none. */
  status(): AgentStatus | null {
    const path = statusPath(this.dataDir);
    return existsSync(path) ? agentStatus.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
  }

  /** The status of a database in the status file. */
  statusOf(database = 'Payroll'): DatabaseStatus | undefined {
    return this.status()?.databases.find(({ name }) => name === database);
  }

  hasLock(): boolean {
    return existsSync(join(this.dataDir, 'agent.lock.1'));
  }

  hasDeadLetters(database = 'Payroll'): boolean {
    return existsSync(join(this.dataDir, 'rejected', `${database}.ndjson`));
  }

  deadLetters(database = 'Payroll'): { code: string; message: string; event: Record<string, unknown> }[] {
    const lines = readFileSync(join(this.dataDir, 'rejected', `${database}.ndjson`), 'utf8')
      .trim()
      .split('\n');
    return lines.map((line) => JSON.parse(line));
  }

  private run(once: boolean, times: Partial<AgentTimes>, stop: AbortSignal): Promise<number> {
    const log = new LineLog((line) => {
      this.log += line;
    });
    const print = (line: string) => void this.summary.push(line);
    const { configPath, env } = this;
    const options = { configPath, env, dataDir: null, once, times: { ...QUICK, ...times } };
    return runAgent({ ...options, clock: systemClock, log, print }, stop);
  }
}

export const databaseEntry = (name: string, path: string) => ({
  Name: name,
  Enabled: true,
  AuditSource: { Type: 'DirectFile', DirectFile: { AuditFilePath: path } },
});

function auditFilesOf(folder: string): string[] {
  const names = readdirSync(join(FIXTURES, folder)).filter((name) => name.endsWith('.sqlaudit'));
  return names.sort().map((name) => join(FIXTURES, folder, name));
}
