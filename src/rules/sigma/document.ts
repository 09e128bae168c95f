import { createHash } from 'node:crypto';
import { isUuid } from '../../event/uuid';
import { anyOf, type Matcher } from '../matcher';
import type { RuleAbout, RuleTest, Severity } from '../rule';
import type { Seen } from '../seen';
import { EVENT_IDS } from '../windows-view';
import { parseCondition } from './condition';
import { isWindows, type Logsource, logsourceAt, ruleLogsource } from './logsource';
import { type Entry, entryOf, type MapNode, type Node, plain, textAt, textsAt } from './node';
import type { Problems } from './problem';
import { selectionTest } from './selection';
import { truthOf } from './value-test';

/** The parts that every document of a rule file has. */
interface Described {
  readonly line: number;
  /** The document's name and id, by which correlations refer to it. Filters may refer to it by its title too. */
  readonly names: readonly string[];
  readonly about: RuleAbout;
  readonly own: OwnPart;
}
export interface EventDocument extends Described {
  readonly kind: 'event';
  readonly logsource: Logsource | null;
  readonly matcher: Matcher | null;
  readonly cost: number;
}
export interface CorrelationDocument extends Described {
  readonly kind: 'correlation';
  readonly correlation: MapNode;
  /** Whether the rules that this correlation names have findings of their own too. */
  readonly generate: boolean;
}
export interface FilterDocument {
  readonly kind: 'filter';
  readonly line: number;
  readonly filterId: string;
  /** Empty when the file does not have one. */
  readonly title: string;
  readonly description: string;
  /** The log source of the rules that this filter narrows; null: any. */
  readonly logsource: Logsource | null;
  /** Name, id or title of the rules that this filter narrows; null: all rules. */
  readonly rules: readonly string[] | null;
  readonly matcher: Matcher | null;
  readonly cost: number;
}
export type SigmaDocument = EventDocument | CorrelationDocument | FilterDocument;

/** Settings that Sigma does not have. They stand under `x-audit-activity`. */
interface OwnPart {
  readonly why: string;
  readonly groupBy: readonly { readonly name: string; readonly line: number }[] | null;
  readonly dedupMinutes: number;
  readonly tests: readonly RuleTest[];
}

const OWN = 'x-audit-activity';
const KINDS = ['filter', 'correlation', 'detection'];
/** Stands in place of a detection. Alerts of such a rule are about the audit trail itself, not about events. */
const TRAIL_HEALTH = 'trail-health';
export const NO_TITLE = 'a rule must have a title';
const TITLE_CHARS_MAX = 256;
const DEDUP_DEFAULT = 60;
const DEDUP_MAX = 7 * 24 * 60;

export function parseDocument(root: MapNode, problems: Problems): SigmaDocument | null {
  const action = entryOf(root, 'action');
  if (action) return problems.add(action.line, 'action (collections of the first Sigma) is not supported');
  const [, another] = KINDS.flatMap((kind) => entryOf(root, kind) ?? []);
  if (another) return problems.add(another.line, `a document has only one of ${KINDS.join(', ')}`);
  const filter = entryOf(root, 'filter');
  if (filter) return parseFilter(root, filter, problems);
  const described = parseDescribed(root, problems);
  const correlation = entryOf(root, 'correlation');
  if (correlation) {
    if (correlation.value.kind !== 'map') return problems.add(correlation.line, 'correlation must be a map');
    // The specification puts `generate` beside the correlation. Tools put it inside.
    const generate = [root, correlation.value].some((map) => generates(map, problems));
    return { kind: 'correlation', ...described, correlation: correlation.value, generate };
  }
  const detection = entryOf(root, 'detection');
  if (!detection) return problems.add(root.line, 'a document must have detection, correlation or filter');
  const logsource = ruleLogsource(root, problems);
  if (detection.value.kind === 'scalar' && detection.value.value === TRAIL_HEALTH)
    return { kind: 'event', ...described, logsource, matcher: never, cost: 0 };
  const before = problems.cost;
  problems.strangeId = null;
  const matcher = detectionTest(detection, logsource, problems);
  if (matcher?.actions?.size === 0 && problems.strangeId !== null)
    problems.add(problems.strangeId, `no event has this EventID: there are ${EVENT_IDS.join(', ')}`);
  return { kind: 'event', ...described, logsource, matcher, cost: problems.cost - before };
}

function generates(map: MapNode, problems: Problems): boolean {
  const entry = entryOf(map, 'generate');
  if (!entry) return false;
  const is = entry.value.kind === 'scalar' ? truthOf(entry.value.value) : null;
  if (is === null) problems.add(entry.line, 'generate is true or false');
  return is === true;
}

const LEVELS: Readonly<Record<string, Severity>> = {
  informational: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  critical: 'critical',
};

function parseDescribed(root: MapNode, problems: Problems): Described {
  const title = textAt(root, 'title')?.trim() ?? '';
  if (title.length > TITLE_CHARS_MAX)
    problems.add(root.line, `a title has at most ${TITLE_CHARS_MAX} characters`);
  const levelEntry = entryOf(root, 'level');
  const level = textAt(root, 'level')?.toLowerCase() ?? 'medium';
  const severity = LEVELS[level];
  if (!severity)
    problems.add(levelEntry?.line ?? root.line, `level must be one of ${Object.keys(LEVELS).join(', ')}`);
  const id = uuidAt(root, problems);
  const name = textAt(root, 'name');
  if (title === '' && name === null && id === null) problems.add(root.line, NO_TITLE);
  return {
    line: root.line,
    names: [name, id?.toLowerCase() ?? null].filter((one) => one !== null),
    about: {
      ruleId: id === null ? idOf(name ?? title) : id.toLowerCase(),
      title,
      description: textAt(root, 'description')?.trim() ?? '',
      why: '',
      falsePositives: textsAt(root, 'falsepositives'),
      tags: textsAt(root, 'tags'),
      severity: severity ?? 'medium',
    },
    own: parseOwn(root, problems),
  };
}

function uuidAt(root: MapNode, problems: Problems): string | null {
  const id = textAt(root, 'id');
  if (id !== null && !isUuid(id)) problems.add(entryOf(root, 'id')?.line ?? root.line, 'id must be a UUID');
  return id;
}

/** The same title gets the same id, so that a file without ids can be imported again. */
function idOf(text: string): string {
  const hex = createHash('sha256').update(`rule\n${text}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function parseOwn(root: MapNode, problems: Problems): OwnPart {
  const node = entryOf(root, OWN)?.value;
  if (node && node.kind !== 'map') problems.add(node.line, `${OWN} must be a map`);
  if (node?.kind !== 'map') return { why: '', groupBy: null, dedupMinutes: DEDUP_DEFAULT, tests: [] };
  const groups = entryOf(node, 'group-by');
  const dedup = Number(textAt(node, 'dedup-minutes') ?? DEDUP_DEFAULT);
  if (!Number.isInteger(dedup) || dedup < 1 || dedup > DEDUP_MAX)
    problems.add(
      entryOf(node, 'dedup-minutes')?.line ?? node.line,
      `dedup-minutes must be from 1 to ${DEDUP_MAX}`,
    );
  return {
    why: textAt(node, 'why')?.trim() ?? '',
    groupBy: groups ? textsAt(node, 'group-by').map((name) => ({ name, line: groups.line })) : null,
    dedupMinutes: dedup,
    tests: testsOf(node, problems),
  };
}

function testsOf(own: MapNode, problems: Problems): RuleTest[] {
  const entry = entryOf(own, 'tests');
  if (!entry) return [];
  if (entry.value.kind !== 'list') {
    problems.add(entry.line, 'tests must be a list');
    return [];
  }
  return entry.value.items.map((item, i) => {
    const test = plain(item) as { name?: unknown; finds?: unknown; events?: unknown };
    if (!Array.isArray(test?.events) || typeof test.finds !== 'boolean')
      problems.add(item.line, 'a test has finds (true or false) and a list of events');
    return {
      name: String(test?.name ?? `test ${i + 1}`),
      finds: test?.finds === true,
      events: Array.isArray(test?.events) ? test.events : [],
    };
  });
}

const NO_SELECTIONS = ['condition', 'timeframe'];

/** Compiles the selections and the condition of `detection`, or those of a filter. */
function detectionTest(
  { key, value, line }: Entry,
  logsource: Logsource | null,
  problems: Problems,
  skip: readonly string[] = [],
): Matcher | null {
  if (value.kind !== 'map') return problems.add(line, `${key} must be a map`);
  const condition = entryOf(value, 'condition');
  if (!condition) return problems.add(line, `${key} must have a condition`);
  const timeframe = entryOf(value, 'timeframe');
  if (timeframe) problems.add(timeframe.line, 'timeframe is not supported: write a correlation');
  const textsOf = (seen: Seen) => (isWindows(logsource) ? seen.windowsTexts() : seen.texts());
  const selections = new Map<string, Matcher>();
  let isSound = true;
  for (const entry of value.entries) {
    if (NO_SELECTIONS.includes(entry.key) || skip.includes(entry.key)) continue;
    const test = selectionTest(entry.value, problems, textsOf);
    selections.set(entry.key, test ?? never);
    isSound &&= test !== null;
  }
  const nodes: readonly Node[] = condition.value.kind === 'list' ? condition.value.items : [condition.value];
  if (nodes.length === 0) return problems.add(condition.line, 'the list of conditions is empty');
  const parts = nodes.map((node) =>
    node.kind === 'scalar'
      ? parseCondition(String(node.value ?? ''), selections, node.line, problems)
      : problems.add(node.line, 'a condition must be a text'),
  );
  const sound = parts.filter((part) => part !== null);
  return isSound && sound.length === parts.length && sound.length > 0 ? anyOf(sound) : null;
}

function parseFilter(root: MapNode, filter: Entry, problems: Problems): FilterDocument | null {
  if (filter.value.kind !== 'map') return problems.add(filter.line, 'filter must be a map');
  const rules = textsAt(filter.value, 'rules');
  if (rules.length === 0)
    problems.add(
      entryOf(filter.value, 'rules')?.line ?? filter.line,
      'filter.rules must name rules, or say any',
    );
  const isAny = rules.length === 1 && rules[0]?.toLowerCase() === 'any';
  const logsource = logsourceAt(root);
  if (!logsource)
    problems.add(entryOf(root, 'logsource')?.line ?? root.line, 'a filter must have a logsource: a map');
  const title = textAt(root, 'title')?.trim() ?? '';
  if (title.length > TITLE_CHARS_MAX)
    problems.add(root.line, `a title has at most ${TITLE_CHARS_MAX} characters`);
  const filterId = uuidAt(root, problems)?.toLowerCase() ?? idOf(`filter\n${textAt(root, 'name') ?? title}`);
  const description = textAt(root, 'description')?.trim() ?? '';
  const before = problems.cost;
  const matcher = detectionTest(filter, logsource, problems, ['rules']);
  return {
    kind: 'filter',
    line: root.line,
    filterId,
    title,
    description,
    rules: isAny ? null : rules,
    logsource,
    matcher,
    cost: problems.cost - before,
  };
}

const never: Matcher = { test: () => false, actions: new Set() };
