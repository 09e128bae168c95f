import { SILENT_MS } from './audit-source';

/**
 * The reports of one run of an agent on a source: from its start until its end, or, of a shared folder, since it is there or
 * away. Times by the service's clock.
 */
export interface AgentRun {
  readonly runId: string;
  /** Whether the shared folder is away there. */
  readonly isAway?: boolean;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The last report of a run that ended may arrive this long after the first one of the next. */
const LATE_MS = 60_000;
const RUNS_MAX = 8;

/**
 * The runs that have reported a source lately, with a report that comes now; that of the report is the last. A run without
 * the folder does not end one that had it: nobody may have it now.
 */
export function withReport(
  known: readonly AgentRun[],
  runId: string,
  atMs: number,
  isAway = false,
): readonly AgentRun[] {
  const before = known.find((run) => run.runId === runId);
  const own = before && isThere(before) === !isAway ? before : undefined;
  const isKept = (run: AgentRun) => (isAway && isThere(run)) || atMs - run.lastMs <= SILENT_MS;
  const others = known.filter((run) => run !== before && isKept(run));
  // Instances of the service may differ in their time by a little.
  const [firstMs, lastMs] = [own?.firstMs ?? atMs, Math.max(own?.lastMs ?? atMs, atMs)];
  return [...others, { runId, firstMs, lastMs, ...(isAway && { isAway }) }].slice(-RUNS_MAX);
}

/** How many agents report a source side by side and have its folder, as the last of the runs shows. An agent that starts again is one. */
export function agentsBeside(runs: readonly AgentRun[]): number {
  const now = runs.at(-1);
  return runs.filter((run) => now && isThere(now) && isThere(run) && (run === now || areBeside(run, now)))
    .length;
}

/** Whether the folder is away for the last of the runs, while an agent of another host had it, and has not said since that it is away. */
export function isForAnother(runs: readonly AgentRun[]): boolean {
  const now = runs.at(-1);
  return now?.isAway === true && runs.some((run) => isThere(run) && areBeside(run, now));
}

const isThere = ({ isAway }: AgentRun): boolean => isAway !== true;

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
