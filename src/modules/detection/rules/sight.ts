import type { Asker } from '../../../caller/rate-limit/fair-share';
import type { Answer } from '../../../event/shape';
import type { EventKind } from '../../../rules/event-kind';
import type { About } from '../../../rules/rule-reader';
import type { RULE_COVERAGE } from '../base/work-answers';

type RuleCoverage = Answer<typeof RULE_COVERAGE>;
type Seen = RuleCoverage['instances'][number];

/** What a server instance records: asked of compliance. */
export interface AuditCoverage {
  groupsThatWrite(action: string, classes: readonly string[] | null): readonly string[];
  instances(asker: Asker | null, tenantId: number, instance?: string): Promise<readonly CoveredInstance[]>;
}
interface CoveredInstance {
  readonly serverInstanceName: string;
  readonly isSending: boolean;
  readonly stateOf: (group: string) => 'configured' | 'observed' | 'contradicted' | 'silent';
}

/** What one condition on an event needs. */
interface Need {
  /** Each entry: groups of which one writes the events. */
  readonly ways: readonly (readonly string[])[];
  /** Groups that show the same statements, which servers record beside others. */
  readonly besides: readonly string[];
  /** Some of the events are written whatever the groups are. */
  readonly isAlways: boolean;
  /** It looks at events of any action. */
  readonly isAny: boolean;
}

/** Batches show the statements of all other groups again. Few servers record them. */
const isBeside = (group: string) => group.startsWith('BATCH_');
/** The start and stop of an audit, of which `compliance/groups.yml` says that they are written whatever the groups. */
const ALWAYS = 'ausc';
/** A code that more groups write is not one that tells them apart: one of them is enough. */
const APART_MAX = 2;

/** What each condition of a rule needs. */
export const needsOf = (
  { reads }: Pick<About, 'reads'>,
  coverage: Pick<AuditCoverage, 'groupsThatWrite'>,
): readonly Need[] => reads.map((kinds) => needOf(kinds, coverage));

function needOf(
  kinds: readonly EventKind[],
  { groupsThatWrite }: Pick<AuditCoverage, 'groupsThatWrite'>,
): Need {
  const ways = new Map<string, readonly string[]>();
  const besides = new Set<string>();
  for (const { actions, classes } of kinds)
    for (const action of actions ?? []) {
      const groups = groupsThatWrite(action, classes);
      const isApart = classes !== null || groups.length <= APART_MAX;
      for (const way of isApart ? groups.map((group) => [group]) : [groups])
        if (way.every(isBeside)) for (const group of way) besides.add(group);
        else ways.set(way.join(' '), way);
    }
  return {
    ways: [...ways.values()],
    besides: [...besides],
    isAlways: kinds.length === 0 || kinds.some(({ actions }) => actions?.includes(ALWAYS)),
    isAny: kinds.some(({ actions }) => actions === null),
  };
}

/** The groups that a rule needs, each entry as text. */
export const groupsOf = (needs: readonly Need[]): readonly string[] =>
  [...new Set(needs.flatMap(({ ways }) => ways.map((way) => way.join(' or '))))].sort();

/** Says whether a rule sees what it looks for on an instance. A server that is silent about a group may record it. */
export function sightOf(needs: readonly Need[], instance: CoveredInstance): Seen {
  const { serverInstanceName: name } = instance;
  const states = needs.map((need) => stateOf(need, instance));
  const of = (state: Seen['state']) => states.filter((one) => one.state === state);
  const groupsIn = (state: Seen['state']) => [...new Set(of(state).flatMap(({ groups }) => groups))].sort();
  if (of('cannot_see').length > 0) {
    const groups = groupsIn('cannot_see');
    return {
      serverInstanceName: name,
      state: 'cannot_see',
      groups,
      text: `cannot see on ${name}: ${areNot(groups)}`,
    };
  }
  if (of('unknown').length > 0) {
    const groups = groupsIn('unknown');
    const why =
      groups.length > 0 ? `no record says that ${listed(groups, 'or')} is recorded` : 'no events come';
    return { serverInstanceName: name, state: 'unknown', groups, text: `not known on ${name}: ${why}` };
  }
  return { serverInstanceName: name, state: 'sees', groups: [], text: `sees on ${name}` };
}

function stateOf(
  { ways, besides, isAlways, isAny }: Need,
  { stateOf, isSending }: CoveredInstance,
): Pick<Seen, 'state' | 'groups'> {
  const isOn = (group: string) => ['configured', 'observed'].includes(stateOf(group));
  const seen = isAlways || [...ways.flat(), ...besides].some(isOn);
  const lost = ways.filter((way) => way.every((group) => stateOf(group) === 'contradicted'));
  if (lost.length > 0 && !isAlways && !besides.some(isOn))
    return { state: 'cannot_see', groups: lost.flat() };
  if (seen || (isAny && isSending) || (!isAny && ways.length + besides.length === 0))
    return { state: 'sees', groups: [] };
  return { state: 'unknown', groups: ways.flat() };
}

const areNot = (groups: readonly string[]) =>
  `${listed(groups, 'and')} ${groups.length === 1 ? 'is' : 'are'} not recorded`;
const listed = (names: readonly string[], word: string) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;

const RANKS: readonly Seen['state'][] = ['cannot_see', 'unknown', 'sees'];
/** Server instances that a rule lists. The others are counted. */
export const INSTANCES_SHOWN = 10;

/** A rule on all instances: those where it cannot see first. */
export function coverageOf(
  rule: { readonly ruleId: string; readonly title: string },
  needs: readonly Need[],
  instances: readonly CoveredInstance[],
): RuleCoverage {
  const all = instances.map((instance) => sightOf(needs, instance));
  const count = (state: Seen['state']) => all.filter((one) => one.state === state).length;
  return {
    ...rule,
    groups: groupsOf(needs),
    sees: count('sees'),
    cannotSee: count('cannot_see'),
    unknown: count('unknown'),
    instances: RANKS.flatMap((state) => all.filter((one) => one.state === state)).slice(0, INSTANCES_SHOWN),
  };
}
