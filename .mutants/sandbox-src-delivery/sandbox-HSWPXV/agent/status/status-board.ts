import type { Clock } from '../clock';
import { AGENT_VERSION } from '../version';
import { DatabaseActivity, fromEarlierRun } from './database-activity';
import type { AgentStatus } from './database-status';

/** The state of the agent, database by database, for its status file. */
export class StatusBoard {
  /** Why nothing at all is published; null: nothing prevents it. */
  problem: string | null = null;
  private readonly startedAt: string;
  private activities: readonly DatabaseActivity[] = [];

  /** @param before the status that an earlier run left */
  constructor(
    private readonly configPath: string,
    private readonly clock: Clock,
    private readonly before: AgentStatus | null,
  ) {
    this.startedAt = new Date(clock.now()).toISOString();
  }

  /** Shows these databases from now on, and keeps what is known about them. */
  show<T extends { readonly name: string }>(
    tenantId: string,
    databases: readonly T[],
  ): readonly { readonly database: T; readonly activity: DatabaseActivity }[] {
    const known = [
      ...this.activities.map((activity) => activity.status()),
      ...(this.before?.databases ?? []).map(fromEarlierRun),
    ];
    const shown = databases.map((database) => {
      const { name } = database;
      const before = known.find((status) => status.name === name && status.tenantId === tenantId);
      return { database, activity: new DatabaseActivity(name, tenantId, this.clock, before ?? null) };
    });
    this.activities = shown.map(({ activity }) => activity);
    return shown;
  }

  status(): Omit<AgentStatus, 'writtenAt' | 'running'> {
    return {
      version: 1,
      agentVersion: AGENT_VERSION,
      pid: process.pid,
      configPath: this.configPath,
      startedAt: this.startedAt,
      obstacle: this.problem,
      databases: this.activities.map((activity) => activity.status()),
    };
  }
}
