import { formatTicks, TICKS_PER_MS } from '../../event/event-time';
import type { Check, Control } from './frameworks';
import type { InstanceTrail, Seen } from './trail';

export type Status = 'pass' | 'fail' | 'unknown' | 'not_applicable';

/** What is known of an action group on an instance. */
export interface GroupState {
  readonly group: string;
  readonly state: 'configured' | 'observed' | 'contradicted' | 'silent';
  readonly since: string | null;
  readonly by: string | null;
  /** Of the change that made it so. */
  readonly recordId: string | null;
}

export interface Verdict {
  readonly status: Status;
  /** Since when it is so; null: it is not known. */
  readonly since: string | null;
  /** A sentence. */
  readonly reason: string;
  readonly recordIds: readonly string[];
  /** Of a control that asks for groups. */
  readonly groups: readonly GroupState[];
}

/** Judges a control on one instance. Silence is never a pass. */
export async function judge({ check }: Control, trail: InstanceTrail, scopeOf: ScopeOf): Promise<Verdict> {
  switch (check.kind) {
    case 'groups':
      return judgeGroups(check, trail, scopeOf);
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
/** The scope of a group. Events show nothing of the other databases if a specification of one database records them. */
type ScopeOf = (group: string) => 'server' | 'database' | 'both';

const verdict = (status: Status, reason: string, about: Partial<Verdict> = {}): Verdict => ({
  status,
  reason,
  since: null,
  recordIds: [],
  groups: [],
  ...about,
});

/** What is known of a group. An event after the record that ended a group shows that it is recorded all the same. */
export function stateOfGroup(group: string, { replay, seen }: InstanceTrail): GroupState {
  const known = replay.of(group);
  const last = seen.get(group);
  if (known?.is === 'configured' || (known && !(last && isAfter(last, known.since))))
    return { group, state: known.is, since: known.since, by: known.by, recordId: known.recordId };
  const state = last ? 'observed' : 'silent';
  return { group, state, since: last ? timeOf(last.lastMs) : null, by: null, recordId: null };
}

/** The record of the change may be the last of its group, so a later event counts from the next millisecond on. */
const isAfter = ({ lastMs }: Seen, time: string) => lastMs > Date.parse(time) + 1;
const timeOf = (ms: number) => formatTicks(BigInt(ms) * TICKS_PER_MS);

function judgeGroups(
  { groups, outcomes = [] }: Extract<Check, { kind: 'groups' }>,
  trail: InstanceTrail,
  scopeOf: ScopeOf,
): Verdict {
  const states = groups.map((group) => stateOfGroup(group, trail));
  const of = (...wanted: GroupState['state'][]) => states.filter(({ state }) => wanted.includes(state));
  const about = { groups: states };
  const ended = of('contradicted');
  if (ended.length > 0) {
    const since = ended.map((one) => one.since ?? '').sort()[0] as string;
    const first = ended.find((one) => one.since === since) as GroupState;
    const by = first.by === null ? '' : ` by ${first.by}`;
    return verdict('fail', `${namesOf(ended)} ${isAre(ended)} not recorded since ${since}${by}.`, {
      ...about,
      since,
      recordIds: recordsOf(ended),
    });
  }
  const gap = gapAt(trail, trail.period.to);
  if (gap) return verdict('fail', gapSentence(gap), { ...about, since: gap.afterTime });
  const partial = of('observed').filter(({ group }) => scopeOf(group) !== 'server');
  const silent = [...of('silent'), ...partial];
  if (silent.length > 0) {
    const databases = [...new Set(silent.flatMap(({ group }) => trail.replay.databasesOf(group)))];
    const own =
      databases.length > 0 ? ` Specifications of these databases record some: ${databases.join(', ')}.` : '';
    const few =
      partial.length > 0
        ? ` Events of ${namesOf(partial)} came, which proves it for their databases only.`
        : '';
    return verdict(
      'unknown',
      `No record says that ${namesOf(silent)} ${isAre(silent)} recorded.${own}${few}`,
      about,
    );
  }
  const unseen = outcomes.filter(
    (outcome) => !groups.some((group) => (trail.seen.get(group)?.[outcome] ?? 0) > 0),
  );
  if (unseen.length > 0) {
    const [outcome] = unseen;
    const what = outcome === 'failed' ? 'a refused' : 'a successful';
    return verdict(
      'unknown',
      `The groups are recorded, and no event of ${what} action has come in 30 days.`,
      about,
    );
  }
  const since =
    states
      .map((one) => one.since ?? '')
      .sort()
      .at(-1) ?? null;
  const observed = of('observed');
  const shown = observed.length > 0 ? ` ${namesOf(observed)} ${isAre(observed)} shown by events alone.` : '';
  return verdict('pass', `${groups.length === 1 ? 'The group is' : 'All groups are'} recorded.${shown}`, {
    ...about,
    since,
    recordIds: recordsOf(states),
  });
}

function judgeRuns(trail: InstanceTrail): Verdict {
  const { replay, sources, period } = trail;
  const stop = replay.stops.findLast(({ to }) => to === null || to > period.from);
  if (stop) {
    const until = stop.to === null ? 'and has not started again' : `until ${stop.to}`;
    return verdict('fail', `An audit stood still from ${stop.from} ${until}.`, {
      since: stop.from,
      recordIds: [stop.recordId],
    });
  }
  const gap = gapsOf(trail).find(({ beforeTime }) => beforeTime === null || beforeTime > period.from);
  if (gap) return verdict('fail', gapSentence(gap), { since: gap.afterTime });
  if (sources.length === 0) return verdict('unknown', 'No agent reports on this instance.');
  const behind = sources.filter(
    ({ completeThrough, state }) => completeThrough === null && state !== 'retired',
  );
  if (behind.length > 0)
    return verdict('unknown', `The agent on ${behind[0]?.hostName} has not published everything yet.`);
  return verdict('pass', 'The trail of the last 30 days is complete, and no audit stood still.', {
    since: period.from,
  });
}

const START_MS = 60_000;

function judgeStarts({ serverStarts, auditStarts, period }: InstanceTrail): Verdict {
  const late = serverStarts.find(
    ({ at }) => !auditStarts.some((start) => isWithin(Date.parse(start.at) - Date.parse(at), START_MS)),
  );
  if (late)
    return verdict('fail', `The server started at ${late.at}, and no audit started within a minute.`, {
      since: late.at,
      recordIds: [late.recordId],
    });
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
  for (const field of fields) {
    const stated = 100 - (100 * (await trail.lacking(field))) / trail.events;
    if (stated < percent) poor.push(`${field} (${Math.floor(stated)} %)`);
  }
  if (poor.length > 0)
    return verdict('fail', `Fewer than ${percent} % of the events of 30 days state ${poor.join(', ')}.`);
  return verdict('pass', `At least ${percent} % of the events of 30 days state each field.`, {
    since: trail.period.from,
  });
}

const gapsOf = ({ sources, period }: InstanceTrail) =>
  sources.flatMap(({ gaps }) => gaps).filter(({ afterTime }) => afterTime === null || afterTime < period.to);
type Gap = ReturnType<typeof gapsOf>[number];
const gapAt = (trail: InstanceTrail, moment: string): Gap | undefined =>
  gapsOf(trail).find(
    ({ afterTime, beforeTime }) =>
      afterTime !== null && afterTime <= moment && (beforeTime === null || moment <= beforeTime),
  );
const gapSentence = ({ fileName, afterTime, beforeTime }: Gap) =>
  `A part of the trail is missing: ${fileName}, ${afterTime ?? 'from an unknown time'} to ${beforeTime ?? 'an unknown time'}.`;

const recordsOf = (states: readonly GroupState[]) => [
  ...new Set(states.flatMap(({ recordId }) => recordId ?? [])),
];

const NAMES_MAX = 5;
function namesOf(states: readonly GroupState[]): string {
  const names = states.map(({ group }) => group);
  const more = names.length - NAMES_MAX;
  return more > 0 ? `${names.slice(0, NAMES_MAX).join(', ')} and ${more} more` : names.join(', ');
}
const isAre = (states: readonly GroupState[]) => (states.length === 1 ? 'is' : 'are');

/** The time up to which the sources of an instance are complete, and not later than the moment asked for. */
export function evaluatedThrough({ sources, period }: InstanceTrail): string | null {
  const times = sources.map(({ completeThrough }) => completeThrough);
  if (times.length === 0 || times.includes(null)) return null;
  return [...(times as string[]), period.to].sort()[0] ?? null;
}
