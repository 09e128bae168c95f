import { formatTicks, TICKS_PER_MS } from '../../event/event-time';
import type { Check } from './frameworks';
import type { AuditReplay } from './replay';
import type { Seen } from './seen';
import type { Filter } from './specification';
import type { InstanceTrail } from './trail';

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

/** The scope of a group. Events show nothing of the other databases if a specification of one database records them. */
export type ScopeOf = (group: string) => 'server' | 'database' | 'both';

export const verdict = (status: Status, reason: string, about: Partial<Verdict> = {}): Verdict => ({
  status,
  reason,
  since: null,
  recordIds: [],
  groups: [],
  ...about,
});

/**
 * What is known of a group. An event after the record that ended a group shows that it is recorded all the same, unless
 * the event may be of a database that records the group by a specification of its own, or did after that record: it
 * proves nothing of the others.
 */
export function stateOfGroup(
  group: string,
  { replay, seen }: InstanceTrail,
  within: string | null = null,
): GroupState {
  const known = replay.of(group, within);
  // Events of other databases prove nothing of this one.
  const last = within === null ? seen.get(group) : undefined;
  const isRecordedAfter = (since: string) =>
    last !== undefined && isAfter(last, since) && !replay.mayBeOfDatabase(group, since);
  if (known?.is === 'configured' || (known && !isRecordedAfter(known.since)))
    return { group, state: known.is, since: known.since, by: known.by, recordId: known.recordId };
  return { group, ...observedAt(last?.lastMs, replay) };
}

/** What is known by the last event alone, after which the audits may have stopped. */
export function observedAt(
  lastMs: number | undefined,
  replay: Pick<AuditReplay, 'stillSince'>,
): Omit<GroupState, 'group'> {
  if (lastMs === undefined) return { state: 'silent', since: null, by: null, recordId: null };
  const since = timeOf(lastMs);
  const still = replay.stillSince(since);
  return still
    ? { state: 'contradicted', since: still.at, by: still.by, recordId: still.recordId }
    : { state: 'observed', since, by: null, recordId: null };
}

/** The record of the change may be the last of its group, so a later event counts from the next millisecond on. */
const isAfter = ({ lastMs }: Seen, time: string) => lastMs > Date.parse(time) + 1;
export const timeOf = (ms: number) => formatTicks(BigInt(ms) * TICKS_PER_MS);

/** Judges whether every group of a list is recorded. */
export function judgeGroups(
  { groups, outcomes = [] }: Omit<Extract<Check, { kind: 'groups' }>, 'kind'>,
  trail: InstanceTrail,
  scopeOf: ScopeOf,
  within: string | null = null,
): Verdict {
  const states = groups.map((group) => stateOfGroup(group, trail, within));
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
      recordIds: idsOf(ended),
    });
  }
  const gap = gapAt(trail, trail.period.to);
  if (gap) return verdict('fail', gapSentence(gap), { ...about, since: gap.afterTime });
  const filterOf = (group: string) => trail.replay.filterOf(within, (one) => one.groups.has(group));
  const filtered = groups.flatMap((group) => filterOf(group) ?? [])[0];
  if (filtered)
    return verdict('unknown', filterSentence(filtered), { ...about, recordIds: idsOf([filtered]) });
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
    recordIds: idsOf(states),
  });
}

export const gapsOf = ({ sources, period }: InstanceTrail) =>
  sources.flatMap(({ gaps }) => gaps).filter(({ afterTime }) => afterTime === null || afterTime < period.to);
type Gap = ReturnType<typeof gapsOf>[number];
export const gapAt = (trail: InstanceTrail, moment: string): Gap | undefined =>
  gapsOf(trail).find(
    ({ afterTime, beforeTime }) =>
      afterTime !== null && afterTime <= moment && (beforeTime === null || moment <= beforeTime),
  );
export const gapSentence = ({ fileName, afterTime, beforeTime }: Gap) =>
  `A part of the trail is missing: ${fileName}, ${afterTime ?? 'from an unknown time'} to ${beforeTime ?? 'an unknown time'}.`;

export const filterSentence = ({ audit, at, by }: Filter): string =>
  `Since ${at}, the audit ${audit} leaves out what a filter says${by === null ? '' : ` that ${by} gave it`}. No record says what.`;

/** That changes of audits in the period were not read, in a sentence; null: all were. */
export const unreadSentence = ({ unreadBefore, period }: InstanceTrail): string | null =>
  unreadBefore !== null && unreadBefore > period.from
    ? `The newest changes of audits were read, those since ${unreadBefore}: nothing is known of earlier ones of the 30 days.`
    : null;

export const idsOf = (of: readonly { readonly recordId: string | null }[]) => [
  ...new Set(of.flatMap(({ recordId }) => recordId ?? [])),
];

const NAMES_MAX = 5;
function namesOf(states: readonly GroupState[]): string {
  const names = states.map(({ group }) => group);
  const more = names.length - NAMES_MAX;
  return more > 0 ? `${names.slice(0, NAMES_MAX).join(', ')} and ${more} more` : names.join(', ');
}
const isAre = (states: readonly GroupState[]) => (states.length === 1 ? 'is' : 'are');
