import { fold } from '../../event/search';
import { inUse } from '../../event/source-report';
import { LIMITS } from '../../limits';
import type { Check, Control } from './frameworks';
import {
  gapAt,
  gapSentence,
  gapsOf,
  judgeGroups,
  type ScopeOf,
  timeOf,
  unreadSentence,
  type Verdict,
  verdict,
} from './judge-groups';
import {
  judgeAlerts,
  judgeClocks,
  judgeFailures,
  judgeOffLoad,
  judgeRetention,
  judgeVerified,
} from './judge-own';
import { judgeApplications, judgeAuditors, judgeReaders, judgeSensitive } from './judge-scope';
import type { Moment } from './questions';
import { type InstanceTrail, PERIOD_DAYS } from './trail';

/** The databases of an instance in which a control is judged on its own. */
export function databasesOf({ check }: Control, trail: InstanceTrail, scopeOf: ScopeOf): readonly string[] {
  if (trail.scope.excluded) return [];
  const names =
    check.kind === 'sensitive'
      ? trail.scope.sensitive.map(({ databaseName }) => databaseName)
      : check.kind === 'groups' && check.groups.every((group) => scopeOf(group) !== 'server')
        ? trail.replay.databases
        : [];
  const distinct = [...new Map(names.map((name) => [fold(name), name])).values()];
  return distinct.sort().slice(0, LIMITS.complianceDatabasesMax);
}

/**
 * Judges a control on one instance, or in one of its databases by the specifications of the server and of that database.
 * Silence is never a pass. */
export async function judge(
  { check }: Control,
  trail: InstanceTrail,
  scopeOf: ScopeOf,
  within: string | null = null,
): Promise<Verdict> {
  const { excluded } = trail.scope;
  if (excluded) {
    const since = excluded.validFrom.toISOString();
    const { createdBy, reason } = excluded;
    return verdict('not_applicable', `Excluded since ${since} by ${createdBy}: ${reason}`, { since });
  }
  switch (check.kind) {
    case 'sensitive':
      return judgeSensitive(trail, scopeOf, within);
    case 'auditors':
      return judgeAuditors(trail, scopeOf);
    case 'readers':
      return judgeReaders(check, trail, scopeOf);
    case 'applications':
      return judgeApplications(trail, scopeOf);
    case 'groups':
      return judgeGroups(check, trail, scopeOf, within);
    case 'alerts':
      return judgeAlerts(check, trail);
    case 'failures':
      return judgeFailures(trail);
    case 'clocks':
      return judgeClocks(trail);
    case 'retention':
      return judgeRetention(check, trail);
    case 'verified':
      return judgeVerified(trail);
    case 'off-load':
      return judgeOffLoad(check, trail);
    case 'audit-runs':
      return judgeRuns(trail);
    case 'starts-with-server':
      return judgeStarts(trail);
    case 'detail':
      return judgeDetail(check, trail);
    case 'elsewhere':
      return verdict('unknown', check.where);
  }
}
async function judgeRuns(trail: InstanceTrail): Promise<Verdict> {
  const { replay, sources, period } = trail;
  const stop = replay.stops.findLast(({ to }) => to === null || to > period.from);
  if (stop) {
    const until = stop.to === null ? 'and has not started again' : `until ${stop.to}`;
    return verdict('fail', `An audit stood still from ${stop.from} ${until}.`, {
      since: stop.from,
      recordIds: stop.recordId === null ? [] : [stop.recordId],
    });
  }
  const gap = gapsOf(trail).find(({ beforeTime }) => beforeTime === null || beforeTime > period.from);
  if (gap) return verdict('fail', gapSentence(gap), { since: gap.afterTime });
  const used = inUse(sources);
  if (used.length === 0) return verdict('unknown', 'No agent reports on this instance.');
  const never = used.find(({ completeThrough }) => completeThrough === null);
  if (never) return verdict('unknown', `The agent on ${never.hostName} has not published everything yet.`);
  const late = used.find(
    ({ completeThrough }) => Date.parse(period.to) - Date.parse(completeThrough ?? '') > LIMITS.trailBehindMs,
  );
  if (late)
    return verdict(
      'unknown',
      `The trail is complete through ${late.completeThrough} only: the agent on ${late.hostName} has not published what came later.`,
    );
  const unread = unreadSentence(trail);
  if (unread !== null) return verdict('unknown', unread);
  const isWhole = await trail.isOlderThan(PERIOD_DAYS);
  // What was before its first event is not known.
  const since = isWhole ? period.from : timeOf(trail.firstEventMs);
  const complete = isWhole
    ? 'The trail of the last 30 days is complete'
    : `The trail is complete since its first event, of ${since}`;
  return verdict('pass', `${complete}, and no audit stood still.`, { since });
}

const START_MS = 60_000;

function judgeStarts(trail: InstanceTrail): Verdict {
  const { serverStarts, auditStarts, period, unreadBefore } = trail;
  const isRead = (at: string) =>
    !(unreadBefore !== null && Date.parse(at) - Date.parse(unreadBefore) <= START_MS);
  const alone = serverStarts.filter(
    ({ at }) =>
      isRead(at) && !auditStarts.some((start) => isWithin(Date.parse(start.at) - Date.parse(at), START_MS)),
  );
  const throughMs = Date.parse(evaluatedThrough(trail) ?? period.to);
  const isOver = ({ at }: Moment) => throughMs - Date.parse(at) > START_MS;
  const late = alone.find(isOver);
  const early = alone.find((start) => !isOver(start));
  if (late)
    return verdict('fail', `The server started at ${late.at}, and no audit started within a minute.`, {
      since: late.at,
      recordIds: [late.recordId],
    });
  const gap = gapAt(trail, period.to);
  if (gap) return verdict('fail', gapSentence(gap), { since: gap.afterTime });
  const unread = unreadSentence(trail);
  if (unread !== null) return verdict('unknown', unread);
  if (early)
    return verdict(
      'unknown',
      `The server started at ${early.at}, and the minute after it is not known yet.`,
      {
        recordIds: [early.recordId],
      },
    );
  if (serverStarts.length === 0) return verdict('unknown', 'No start of the server came in 30 days.');
  return verdict('pass', 'An audit started within a minute of each start of the server.', {
    since: serverStarts[0]?.at ?? period.from,
    recordIds: serverStarts.map(({ recordId }) => recordId),
  });
}
/** An audit may note its start a moment before the server notes its own. */
const isWithin = (ms: number, most: number) => ms >= -most && ms <= most;

async function judgeDetail(
  { fields, percent }: Extract<Check, { kind: 'detail' }>,
  trail: InstanceTrail,
): Promise<Verdict> {
  if (trail.events === 0) return verdict('unknown', 'No event came in 30 days.');
  const poor: string[] = [];
  const lacking = await trail.lacking(fields);
  for (const [i, field] of fields.entries()) {
    const stated = 100 - (100 * (lacking[i] ?? 0)) / trail.events;
    if (stated < percent) poor.push(`${field} (${Math.floor(stated)} %)`);
  }
  if (poor.length > 0)
    return verdict('fail', `Fewer than ${percent} % of the events of 30 days state ${poor.join(', ')}.`);
  return verdict('pass', `At least ${percent} % of the events of 30 days state each field.`, {
    since: trail.period.from,
  });
}

/** The time up to which the sources of an instance are complete, and not later than the moment asked for. */
export function evaluatedThrough({ sources, period }: InstanceTrail): string | null {
  const used = inUse(sources);
  const times = (used.length > 0 ? used : sources).map(({ completeThrough }) => completeThrough);
  if (times.length === 0 || times.includes(null)) return null;
  return [...(times as string[]), period.to].sort()[0] ?? null;
}
