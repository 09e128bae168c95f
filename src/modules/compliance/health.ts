import { HOUR_MS } from '../../event/event-time';
import { inUse } from '../../event/source-report';
import { LIMITS } from '../../limits';
import { timeOf } from './judge-groups';
import type { Source } from './questions';
import type { InstanceTrail } from './trail';

/** Whether the trail of a server instance comes, and why, in a sentence. */
export interface Health {
  readonly state: 'healthy' | 'quiet' | 'broken' | 'unknown';
  readonly reason: string;
}

/** A server that writes nothing for this long is quiet. */
const QUIET_MS = HOUR_MS;

/**
 * Tells a server that is quiet from a path that is dead: a source that is silent or behind, an audit that stands still, or
 * a canary that does not come.
 */
export async function healthOf(trail: InstanceTrail): Promise<Health> {
  const { isNow, replay, period, lastEventMs } = trail;
  if (!isNow) return unknown('The state of sources is known of the last day only.');
  const sources = inUse(trail.sources);
  if (sources.length === 0) return unknown('No agent reports on this instance.');
  const end = Date.parse(period.to);
  const broken = sources.flatMap((source) => problemOf(source) ?? [])[0];
  if (broken) return { state: 'broken', reason: broken };
  const stop = replay.stops.findLast(({ to }) => to === null);
  if (stop) return { state: 'broken', reason: `An audit stands still since ${stop.from}.` };
  const canaries = await trail.canaries();
  const overdue = canaries.find(({ isOverdue }) => isOverdue)?.newest;
  if (overdue)
    return {
      state: 'broken',
      reason: `No canary came after number ${overdue.number} of ${timeOf(overdue.atMs)}.`,
    };
  const lost = canaries.flatMap(({ missing }) => missing).at(-1);
  if (lost)
    return {
      state: 'broken',
      reason: `Canary numbers ${lost.first} to ${lost.last} are missing: events between ${timeOf(lost.afterMs)} and ${timeOf(lost.beforeMs)} may be lost.`,
    };
  const hidden = canaries.find(({ hiddenSinceMs }) => hiddenSinceMs !== null);
  if (hidden?.hiddenSinceMs != null)
    return unknown(
      `No canary can be found: more records of sp_audit_write came since ${timeOf(hidden.hiddenSinceMs)} than are looked at.`,
    );
  const shown =
    canaries.length > 0 ? 'everything is published, and canaries come' : 'everything is published';
  const last = timeOf(lastEventMs);
  return end - lastEventMs > QUIET_MS
    ? { state: 'quiet', reason: `Healthy, quiet: ${shown}; the server has written nothing since ${last}.` }
    : { state: 'healthy', reason: `Healthy: ${shown}; the newest event is of ${last}.` };
}

const unknown = (reason: string): Health => ({ state: 'unknown', reason });

function problemOf({ hostName, state, lagSeconds, lastReported }: Source): string | null {
  if (state === 'stale') return `The agent on ${hostName} has been silent since ${lastReported}.`;
  if (state === 'problem')
    return `The agent on ${hostName} runs and cannot publish, or several agents report its source.`;
  if (lagSeconds === null) return `The agent on ${hostName} has not published everything yet.`;
  return lagSeconds * 1_000 > LIMITS.trailBehindMs
    ? `The agent on ${hostName} is ${Math.round(lagSeconds)} seconds behind.`
    : null;
}
