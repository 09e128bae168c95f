import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixtureFile } from '../../agent/sqlaudit/support/fixtures';
import { AuditFileWriter } from '../../agent/sqlaudit/support/sqlaudit-writer';
import { databaseEntry } from '../../agent/support/agent-world';
import { TcpProxy } from '../../support/tcp-proxy';
import { AgentProcess, type AgentProgram } from './agent-process';
import type { AuditFile } from './audit-file';
import { AuditTarget, type TargetOptions } from './audit-target';
import { judgeGaps } from './gap-judge';
import { judge } from './judge';
import { Random } from './random';
import type { Moment, Schedule, Step } from './schedule';
import type { ServiceHost } from './service-host';
import { ServerClock } from './session-rows';
import { isPast, Sight } from './sight';
import { Tenant } from './tenant';

/** Short waiting times for the agent, since the usual ones would only make a simulation slow. */
const TIMES = {
  requestTimeoutMs: 2_000,
  retryFirstMs: 10,
  retryMaxMs: 100,
  joinWaitMs: 60_000,
  restartMs: 50,
  reportPollMs: 50,
  reportMinMs: 100,
  reportTimeoutMs: 2_000,
  spoolAfterMs: 150,
};
const DATABASE = 'Payroll';
const POLL_INTERVAL_MS = 50;
/** Polls within which an operation must happen at which the agent is to be caught. */
const CATCH_POLLS_MAX = 10;
/** Most problems that are listed; further ones are alike. */
const PROBLEMS_MAX = 12;
/** Polls after which an agent has noticed everything, including files that are gone. */
const QUIET_POLLS = 5;
const CATCH_UP_MS = 120_000;
/** Polls within which records that the agent holds from deleted files arrive, after it has read all files. */
const SETTLE_POLLS_MAX = 75;

/** Runs a schedule: servers that write, an agent, and its network to the service. */
export class Simulation {
  private readonly agent: AgentProcess;
  private readonly sight: Sight;
  private readonly targets: AuditTarget[];
  private number = 0;

  private constructor(
    schedule: Schedule,
    private readonly host: ServiceHost,
    private readonly tenant: Tenant,
    private readonly network: TcpProxy,
    folder: string,
    program: AgentProgram,
  ) {
    const auditFolder = join(folder, 'audit');
    const configPath = join(folder, 'agent.json');
    mkdirSync(auditFolder);
    this.agent = new AgentProcess(program, { configPath, times: TIMES });
    this.sight = new Sight(this.agent, join(folder, 'agent-data'), [tenant.tenantId, DATABASE]);
    const random = new Random(schedule.seed).fork();
    const given = { folder: auditFolder, writer: AuditFileWriter.from(fixtureFile(schedule.schema)) };
    const clock = new ServerClock(random.fork());
    this.targets = Array.from({ length: schedule.audits }, (_, i) => {
      const onDelete: TargetOptions['onDelete'] = (kept, next) =>
        this.sight.deleting(kept, next, this.filesOf(i));
      const onRename: TargetOptions['onRename'] = (kept) => this.sight.renaming(kept);
      const hasHostNames = schedule.schema === 'schema-2022';
      return new AuditTarget({
        ...schedule,
        ...given,
        name: `Audit_${i}`,
        random: random.fork(),
        clock,
        hasHostNames,
        onDelete,
        onRename,
      });
    });
    const { tenantId, agentKey } = tenant;
    const central = { BaseUrl: network.url.replace(/\/$/, ''), ApiKey: agentKey, TenantId: tenantId };
    writeFileSync(configPath, JSON.stringify(agentConfig(schedule, central)));
  }

  /** @returns what went wrong, in sentences; empty if nothing did */
  static async run(schedule: Schedule, host: ServiceHost, program: AgentProgram): Promise<readonly string[]> {
    const folder = mkdtempSync(join(tmpdir(), 'audit-simulation-'));
    const network = await TcpProxy.to(host.url);
    const tenant = await Tenant.create(host, `simulation ${schedule.seed}`);
    const simulation = new Simulation(schedule, host, tenant, network, folder, program);
    try {
      simulation.agent.start();
      for (const step of schedule.steps) await simulation.take(step);
      return await simulation.end();
    } finally {
      await simulation.agent.end();
      for (const target of simulation.targets) target.close();
      await network.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  private async take(step: Step): Promise<void> {
    this.agent.note(JSON.stringify(step));
    const { agent, network, sight, host } = this;
    const target = this.targets['audit' in step ? step.audit : 0] as AuditTarget;
    switch (step.do) {
      case 'write':
        return target.write(step.rows, step.cut);
      case 'writeMore':
        return target.current.writeMore(step.fraction);
      case 'rollOver':
        return target.rollOver(step.cut);
      case 'restartServer':
        return target.crash();
      case 'copyFile':
        return target.copy(step.which, ++this.number);
      case 'renameFile':
        return target.rename(step.which, ++this.number);
      case 'wait':
        return agent.signalled('tick', step.polls);
      case 'killAgent':
        await this.moment(step.at);
        sight.ending();
        return agent.end();
      case 'stopAgent':
        sight.ending();
        return agent.end('SIGTERM');
      case 'startAgent':
        return agent.start();
      case 'killService':
        await this.moment(step.at);
        return host.kill();
      case 'cutNetwork':
        return network.cut();
      case 'silenceNetwork':
        return network.silence();
      case 'mendNetwork':
        return network.mend();
    }
  }

  private async moment(at: Moment): Promise<void> {
    if (at !== 'now') await this.agent.signalled(at, 1, CATCH_POLLS_MAX);
  }

  /** Lets everything recover, and compares. */
  private async end(): Promise<readonly string[]> {
    const { agent, network, targets } = this;
    network.mend();
    agent.start();
    agent.note('end');
    for (const target of targets) target.finish();
    const deadline = performance.now() + CATCH_UP_MS;
    // The comparison waits once more, since the agent notices deleted files only after a while.
    for (let quiet = 0; quiet < QUIET_POLLS; quiet = this.isCaughtUp() ? quiet + 1 : 0) {
      await agent.signalled('look');
      if (!agent.isUp) return [`the agent has ended:\n${agent.log}`];
      if (performance.now() > deadline) return [`it does not catch up: ${this.behind()}\n${agent.log}`];
    }
    for (let polls = 0; ; polls += QUIET_POLLS) {
      const problems = await this.problems();
      if (problems.length === 0) return [];
      if (polls > SETTLE_POLLS_MAX) return [...problems.slice(0, PROBLEMS_MAX), agent.log];
      await agent.signalled('look', QUIET_POLLS);
    }
  }

  private async problems(): Promise<readonly string[]> {
    const { sight, targets, tenant } = this;
    const stored = await tenant.stored();
    const gaps = await tenant.gaps();
    const parts = targets.map((target) => target.parts());
    const audits = targets.map((_, i) => this.filesOf(i));
    const { problems, lost } = judge(parts, stored, sight);
    return [...problems, ...judgeGaps({ audits, lost, gaps, sight }), ...(await tenant.listProblems(stored))];
  }

  private isCaughtUp(): boolean {
    const bookmarks = this.sight.bookmarks();
    return !this.sight.hasPendingGaps && this.present().every((part) => isPast(bookmarks, part));
  }

  private filesOf(audit: number): AuditFile[] {
    return this.targets[audit]?.files.map(({ file }) => file) ?? [];
  }

  private behind(): string {
    const bookmarks = this.sight.bookmarks();
    const parts = this.present().filter((part) => !isPast(bookmarks, part));
    return parts.map(({ file, blockOffset, index }) => `${file.guid} ${blockOffset} ${index}`).join(', ');
  }

  /** Number of the rows that are in a file. */
  private present() {
    const files = this.targets.flatMap((target) => target.files.filter(({ isDeleted }) => !isDeleted));
    return files.flatMap(({ file }) => file.wholeParts);
  }
}

const agentConfig = (schedule: Schedule, central: object) => ({
  CentralApi: central,
  EventHubPublisher: {
    PollIntervalMs: POLL_INTERVAL_MS,
    BatchMaxEvents: schedule.batchEventsMax,
    BatchMaxAgeMs: schedule.batchAgeMaxMs,
    Databases: [databaseEntry(DATABASE, 'audit/*.sqlaudit')],
  },
});
