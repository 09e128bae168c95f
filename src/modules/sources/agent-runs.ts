import { SILENT_MS } from './audit-source';

/** The reports of one run of an agent on a source: from its start until its end. Times by the service's clock. */
export interface AgentRun {
  readonly runId: string;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The last report of a run that ended may arrive this long after the first one of the next. */
const LATE_MS = 60_000;
const RUNS_MAX = 8;

/** The runs that have reported a source lately, with a report that comes now; that of the report is the last. */
export function withReport(known: readonly AgentRun[], runId: string, atMs: number): readonly AgentRun[] {
  const own = known.find((run) => run.runId === runId);
  const others = known.filter((run) => run !== own && atMs - run.lastMs <= SILENT_MS);
  // Instances of the service may differ in their time by a little.
  const now = { runId, firstMs: own?.firstMs ?? atMs, lastMs: Math.max(own?.lastMs ?? atMs, atMs) };
  return [...others, now].slice(-RUNS_MAX);
}

/** How many agents report a source side by side, as the last of the runs shows. An agent that starts again is one. */
export function agentsBeside(runs: readonly AgentRun[]): number {
  const now = runs.at(-1);
  return runs.filter((run) => now && (run === now || areBeside(run, now))).length;
}

function areBeside(one: AgentRun, other: AgentRun): boolean {
  const [older, younger] = one.firstMs <= other.firstMs ? [one, other] : [other, one];
  return older.lastMs - younger.firstMs > LATE_MS;
}

/** The problem of a source that several agents report; null: one does. */
export function severalAgents(runs: readonly AgentRun[]): string | null {
  const agents = agentsBeside(runs);
  return agents > 1
    ? `${agents} agents report this source side by side, as after the copy of a host. Stop the others, or give each host ` +
        'a name and a key of its own.'
    : null;
}
