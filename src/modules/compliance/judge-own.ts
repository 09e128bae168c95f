import { formatTicks, HOUR_MS, parseTicks, TICKS_PER_MS } from '../../event/event-time';
import { inUse } from '../../event/source-report';
import { LIMITS } from '../../limits';
import type { Check } from './frameworks';
import { gapSentence, unreadSentence, type Verdict, verdict } from './judge-groups';
import { type AlertWork, AUDIT_STOPPED, TRAIL_UNHEALTHY } from './own-state';
import type { Lag } from './questions';
import type { InstanceTrail } from './trail';

const TOLD_MS = 60_000;
/** Within this time an alert tells of a gap. */
const GAP_TOLD_MS = 3 * LIMITS.trailHealthMs;
const isLong = (from: string, to: string) => Date.parse(to) - Date.parse(from) > TOLD_MS;

const timeOf = (date: Date) => formatTicks(BigInt(date.getTime()) * TICKS_PER_MS);

/** The alerts that people are shown, also those that were open before the period. */
const shownAlerts = async (trail: InstanceTrail) =>
  (await trail.alerts()).filter(({ isSuppressed }) => !isSuppressed);

/** Whether people answered the alerts of the period in time. */
export async function judgeAlerts(
  { hours, about }: Extract<Check, { kind: 'alerts' }>,
  trail: InstanceTrail,
): Promise<Verdict> {
  const ofTrail = [TRAIL_UNHEALTHY, ...AUDIT_STOPPED];
  const alerts = (await shownAlerts(trail)).filter(
    ({ ruleId, isEarlier }) => !isEarlier && (about === 'all' || ofTrail.includes(ruleId)),
  );
  const what = about === 'all' ? 'alert' : 'alert of a failure of an audit';
  if (alerts.length === 0) return verdict('unknown', `No ${what} came in 30 days.`);
  const end = Date.parse(trail.period.to);
  const waitOf = ({ createdAt, answeredAt }: AlertWork) =>
    (answeredAt?.getTime() ?? end) - createdAt.getTime();
  const late = alerts.filter((one) => waitOf(one) > hours * HOUR_MS);
  const answered = alerts.filter(({ answeredAt }) => answeredAt !== null);
  const waits = answered.map(waitOf).sort((a, b) => a - b);
  const half = waits[Math.floor(waits.length / 2)];
  const usual = half === undefined ? '' : ` Half of those answered were answered within ${spanOf(half)}.`;
  if (late.length > 0) {
    const first = late.at(-1)?.createdAt ?? new Date(end);
    const longest = Math.max(...late.map(waitOf));
    return verdict(
      'fail',
      `${late.length} of ${alerts.length} alerts waited for more than ${hours} hours, the longest ${spanOf(longest)}.${usual}`,
      { since: timeOf(first) },
    );
  }
  if (about === 'all' && !(await trail.hasAllAlerts()))
    return verdict(
      'unknown',
      `The newest alerts of 30 days were answered within ${hours} hours. There are more.`,
    );
  if (answered.length === 0) return verdict('unknown', `Nobody has answered an ${what} of 30 days yet.`);
  return verdict(
    'pass',
    `Each of ${alerts.length} alerts of 30 days was answered within ${hours} hours, or is younger.${usual}`,
    { since: trail.period.from },
  );
}

function spanOf(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}

/** The gaps that were reported in a period, so long before its end that rule 40 had looked at them. */
const knownGaps = ({ sources, period }: InstanceTrail) =>
  sources.flatMap(({ hostName, gaps }) =>
    gaps
      .filter(
        ({ afterTime, beforeTime, firstReported }) =>
          (afterTime === null || afterTime < period.to) &&
          (beforeTime === null || beforeTime > period.from) &&
          Date.parse(firstReported) > Date.parse(period.from) &&
          Date.parse(period.to) - Date.parse(firstReported) > GAP_TOLD_MS,
      )
      .map((gap) => ({ ...gap, hostName })),
  );

/** Whether an alert tells of gaps of a host. Of many sources, one alert tells of those that are not told alone. */
const tellsOfGap = ({ ruleId, group }: AlertWork, hostName: string): boolean =>
  ruleId === TRAIL_UNHEALTHY &&
  /^(?:A part of the trail is|Parts of the trails of sources are) missing/.test(String(group.problem)) &&
  (typeof group.host !== 'string' || group.host === hostName);

/** Whether each failure of an audit in the period has an alert. */
export async function judgeFailures(trail: InstanceTrail): Promise<Verdict> {
  const { replay, period } = trail;
  const stops = replay.stops.filter(({ from, to }) => from > period.from && isLong(from, to ?? period.to));
  const gaps = knownGaps(trail);
  if (stops.length + gaps.length === 0)
    return verdict('unknown', 'No failure of an audit is in the trail of 30 days.');
  const alerts = await shownAlerts(trail);
  const isTold = (at: string) => {
    const ticks = parseTicks(at) ?? 0n;
    return alerts.some(
      ({ ruleId, firstEvent, lastEvent }) =>
        AUDIT_STOPPED.includes(ruleId) && firstEvent <= ticks && ticks <= lastEvent,
    );
  };
  const untold = stops.find(({ from }) => !isTold(from));
  const recordIds = stops.flatMap(({ recordId }) => recordId ?? []);
  if (untold)
    return verdict('fail', `An audit stood still from ${untold.from}, and no alert told of it.`, {
      since: untold.from,
      recordIds: untold.recordId === null ? [] : [untold.recordId],
    });
  const gap = gaps.find(({ hostName }) => !alerts.some((alert) => tellsOfGap(alert, hostName)));
  if (gap) return verdict('fail', `${gapSentence(gap)} No alert told of it.`, { since: gap.afterTime });
  const unread = unreadSentence(trail);
  if (unread !== null) return verdict('unknown', unread, { recordIds });
  return verdict('pass', `Each of ${stops.length + gaps.length} failures of 30 days has an alert.`, {
    since: period.from,
    recordIds,
  });
}

/** Whether the clocks of agents and of the server were right. */
export async function judgeClocks(trail: InstanceTrail): Promise<Verdict> {
  const alerts = (await trail.alerts()).filter(
    ({ ruleId, group }) => ruleId === TRAIL_UNHEALTHY && /clock/i.test(String(group.problem)),
  );
  const first = alerts.findLast(({ isEarlier }) => !isEarlier);
  if (first)
    return verdict('fail', `An alert of ${timeOf(first.createdAt)} says: ${String(first.group.problem)}.`, {
      since: timeOf(first.createdAt),
    });
  if (trail.sources.length === 0) return verdict('unknown', 'No agent reports on this instance.');
  const [open] = alerts;
  if (open)
    return verdict(
      'unknown',
      `An alert of ${timeOf(open.createdAt)} was open, and there is no other one of its problem until it is resolved: ${String(open.group.problem)}.`,
    );
  const reported = Math.max(...trail.sources.map(({ lastReported }) => Date.parse(lastReported)));
  if (reported <= Date.parse(trail.period.from))
    return verdict(
      'unknown',
      `No agent has reported in 30 days: the last one did at ${timeOf(new Date(reported))}.`,
    );
  if (!(await trail.isWatched()))
    return verdict('unknown', 'The rule that tells of clocks that are wrong, number 40, is switched off.');
  return verdict(
    'pass',
    'In 30 days no clock of an agent or of the server was wrong by more than five minutes.',
    {
      since: trail.period.from,
    },
  );
}

/** Whether events are kept for a number of days. */
export async function judgeRetention(
  { days }: Extract<Check, { kind: 'retention' }>,
  trail: InstanceTrail,
): Promise<Verdict> {
  if (!trail.isNow) return verdict('unknown', 'The retention that held at a past moment is not kept.');
  const kept = await trail.keptDays();
  if (kept !== null && kept < days)
    return verdict('fail', `Events are removed after ${kept} days, before ${days}.`);
  const rule = kept === null ? 'Events are kept for ever' : `Events are kept for ${kept} days`;
  return (await trail.isOlderThan(days))
    ? verdict('pass', `${rule}, and the oldest is more than ${days} days old. All are at hand.`)
    : verdict('unknown', `${rule}, and none is more than ${days} days old yet.`);
}

/** Whether the newest verification of the evidence log found each event as it was accepted. */
export async function judgeVerified(trail: InstanceTrail): Promise<Verdict> {
  const newest = await trail.verified();
  if (!newest)
    return verdict(
      'unknown',
      'Nobody verified the evidence log in 30 days. Operators do so on the page Tenants.',
    );
  const { endedAt, entries, wrong, problem } = newest;
  const since = timeOf(endedAt);
  const told = `The verification that ended at ${since}`;
  if (wrong > 0)
    return verdict(
      'fail',
      `${told} found ${wrong === 1 ? 'an event' : `${wrong} events`} altered or missing.`,
      { since },
    );
  if (problem !== null) return verdict('fail', `${told} found: ${problem}`, { since });
  return entries === 0
    ? verdict('unknown', `${told} found no signed entry of the log yet.`)
    : verdict('pass', `${told} found the events of all ${entries} entries as they were accepted.`, { since });
}

/** Whether the sources hand over their events at once: now, or in the hour of a past moment. */
export async function judgeOffLoad(
  { seconds }: Extract<Check, { kind: 'off-load' }>,
  trail: InstanceTrail,
): Promise<Verdict> {
  const sources = inUse(trail.sources);
  if (!trail.isNow) return judgeLags(seconds, trail);
  if (sources.length === 0) return verdict('unknown', 'No agent reports on this instance.');
  const end = Date.parse(trail.period.to);
  const lags = sources.map(({ hostName, completeThrough }) => ({
    hostName,
    ms: completeThrough === null ? null : Math.max(0, end - Date.parse(completeThrough)),
  }));
  const unknown = lags.find(({ ms }) => ms === null);
  if (unknown)
    return verdict('unknown', `The agent on ${unknown.hostName} has not published everything yet.`);
  const worst = lags.reduce((a, b) => ((b.ms ?? 0) > (a.ms ?? 0) ? b : a));
  const told = `The agent on ${worst.hostName} is ${Math.round((worst.ms ?? 0) / 1000)} seconds behind`;
  const usual = usualOf(await trail.lags());
  return (worst.ms ?? 0) > seconds * 1000
    ? verdict('fail', `${told}, more than ${seconds}.${usual}`, { since: trail.period.to })
    : verdict('pass', `${told}, at most ${seconds}.${usual}`, { since: trail.period.to });
}

async function judgeLags(seconds: number, trail: InstanceTrail): Promise<Verdict> {
  const worst = worstOf(await trail.lagsThen());
  if (!worst) return verdict('unknown', 'How far the sources were behind at this moment was not noted.');
  const told = `In the hour of this moment, the agent on ${worst.hostName} was at most ${worst.worstSeconds} seconds behind`;
  const usual = usualOf(await trail.lags());
  return (worst.worstSeconds ?? 0) > seconds
    ? verdict('fail', `${told}, more than ${seconds}.${usual}`)
    : verdict('pass', `${told}.${usual}`);
}

const worstOf = (lags: readonly Lag[]): Lag | undefined =>
  lags.filter(({ minutes }) => minutes > 0).sort((a, b) => (b.worstSeconds ?? 0) - (a.worstSeconds ?? 0))[0];

/** The lag of the source that was farthest behind in the period. */
function usualOf(lags: readonly Lag[]): string {
  const worst = worstOf(lags);
  if (!worst) return '';
  const { hostName, databaseName, p50Seconds, p99Seconds, worstSeconds } = worst;
  return ` In 30 days, ${databaseName} on ${hostName} was at most ${p50Seconds} seconds behind in half of the minutes, at most ${p99Seconds} in 99 %, and ${worstSeconds} at worst.`;
}
