import { RE2JS } from 're2js';
import { FAILED_LOGIN_ACTIONS } from '../../event/action-names';
import { AUDIT_EVENT_FIELDS } from '../../event/fields';
import { isWithin, parseAddresses, unmappedAddress } from '../../event/network';
import { fold } from '../../event/search';
import { type FieldSlot, textOf, type Value } from '../event';
import { codeOf } from '../event-values';
import { ANY, type Glob, globTest, isSlow, parseGlob, slowText } from '../glob';
import { anyOf, type Matcher, oneOf } from '../matcher';
import { endOfClass, needsOfGlob, needsOfPattern, presence } from '../need';
import type { Seen } from '../seen';
import { EVENT_IDS } from '../windows-view';
import type { Node, Scalar } from './node';
import { fieldIn, type Problems, short } from './problem';

const WHERE = ['contains', 'startswith', 'endswith'] as const;
const COMPARE = ['lt', 'lte', 'gt', 'gte'] as const;
const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
};
const ALONE = ['re', 'cidr', 'exists', ...COMPARE];
const KNOWN = new Set<string>([...WHERE, ...ALONE, 'all', 'cased', 'fieldref', 'neq', ...Object.keys(FLAGS)]);
const PATTERN_CHARS_MAX = 4_096;
/** A match may visit all states for each character of a value. */
const PATTERN_STATES_MAX = 5_000;
/** With 4,000 characters a state takes half a millisecond at worst, and next to nothing in a pattern of few states. */
const STATE_COST = 20;
/** The limit for one file. So many states are compiled in less than half a second. */
const STATES_OF_FILE_MAX = 50_000;

/** `field|modifier|…`. */
interface FieldTest {
  readonly field: FieldSlot;
  readonly modifiers: ReadonlySet<string>;
}

/** @returns null: the modifiers were refused */
export function parseModifiers(given: readonly string[], line: number, problems: Problems) {
  const modifiers = new Set(given);
  for (const one of modifiers)
    if (!KNOWN.has(one)) return problems.add(line, `the modifier ${short(one)} is not supported`);
  const where = WHERE.filter((one) => modifiers.has(one));
  const alone = ALONE.filter((one) => modifiers.has(one));
  if (where.length + alone.length > 1)
    return problems.add(line, `the modifiers ${[...where, ...alone].join(' and ')} exclude each other`);
  if (['i', 'm', 's'].some((one) => modifiers.has(one)) && !modifiers.has('re'))
    return problems.add(line, 'the modifiers i, m and s go with re only');
  if (modifiers.has('fieldref') && alone.length > 0)
    return problems.add(line, `the modifiers fieldref and ${alone[0]} exclude each other`);
  return modifiers;
}

/** Compiles the test of one value. @returns null: the value was refused */
export function valueTest({ field, modifiers }: FieldTest, node: Node, problems: Problems): Matcher | null {
  if (node.kind !== 'scalar')
    return problems.add(node.line, 'a value must be a text, a number, true, false or null');
  problems.cost += 1;
  const { value, line } = node;
  if (modifiers.has('exists')) {
    const wanted = truthOf(value);
    if (wanted === null) return problems.add(line, 'exists takes true or false');
    const test = free((seen) => seen.values(field).length > 0 === wanted);
    return wanted ? { ...test, needs: presence(field) } : test;
  }
  if (value === null || value === '') {
    if (value === null && modifiers.size > 0) return problems.add(line, 'null goes with no modifier');
    if (modifiers.has('re')) return problems.add(line, 're takes a regular expression');
    if (modifiers.has('contains') || modifiers.has('startswith') || modifiers.has('endswith'))
      return free((seen) => seen.values(field).length > 0);
    return free((seen) => seen.values(field).length === 0);
  }
  const compare = COMPARE.find((one) => modifiers.has(one));
  if (compare) return numberTest(field, compare, node, problems);
  if (modifiers.has('re')) return regexTest(field, modifiers, String(value), line, problems);
  if (modifiers.has('cidr')) return cidrTest(field, String(value), line, problems);
  if (modifiers.has('fieldref')) return fieldrefTest(field, modifiers, String(value), line, problems);
  const isWhole = !WHERE.some((one) => modifiers.has(one));
  if (isWhole && BOOLEANS.has(field.name)) return booleanTest(field, value, line, problems);
  const asText = (text: string) => textTest(field, modifiers, text, line, problems);
  const given = node.written ?? String(value);
  const written = isWhole ? wholeText(field, given) : given;
  const test = asText(written);
  // For an event's number 1.10 equals 1.1.
  const isExact = typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value));
  const other = isWhole && isExact && written !== String(value) ? asText(String(value)) : null;
  return test && other ? anyOf([test, other]) : test;
}

/** YAML before 2009, which most Sigma tools read, writes true and false in these ways. SQL Server writes bits. */
const TRUTHS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false,
};
export const truthOf = (value: Scalar): boolean | null => TRUTHS[String(value).toLowerCase()] ?? null;

/** A whole value as events have it. */
export const wholeText = ({ name }: FieldSlot, text: string): string =>
  PADDED.has(name) ? codeOf(text) : name === 'clientIp' ? unmappedAddress(text) : text;

const BOOLEANS: ReadonlySet<string> = new Set(
  Object.entries(AUDIT_EVENT_FIELDS).flatMap(([name, { kind }]) => (kind === 'boolean' ? [name] : [])),
);

/** Fields whose values lose the spaces at their end. */
const PADDED: ReadonlySet<string> = new Set(['actionId', 'additional.classType']);

function booleanTest(field: FieldSlot, value: Scalar, line: number, problems: Problems): Matcher | null {
  if (value === '*') return free((seen) => seen.values(field).length > 0);
  const wanted = truthOf(value);
  if (wanted === null) return problems.add(line, `${field.name} is true or false`);
  return free((seen) => seen.values(field).includes(wanted));
}

const free = (test: Matcher['test']): Matcher => ({ test, actions: null });

/** Adds to a glob the `*` that its modifier means. */
function withPlace(glob: Glob, modifiers: ReadonlySet<string>): Glob {
  const before = modifiers.has('contains') || modifiers.has('endswith');
  const after = modifiers.has('contains') || modifiers.has('startswith');
  return [
    ...(before && glob[0] !== ANY ? [ANY] : []),
    ...glob,
    ...(after && glob.at(-1) !== ANY ? [ANY] : []),
  ] as Glob;
}

function textTest(
  field: FieldSlot,
  modifiers: ReadonlySet<string>,
  value: string,
  line: number,
  problems: Problems,
): Matcher | null {
  const isCased = modifiers.has('cased');
  const glob = withPlace(parseGlob(isCased ? value : fold(value)), modifiers);
  if (isSlow(glob)) return problems.add(line, slowText('text'));
  const test = globTest(glob);
  if (isCased) return free((seen) => seen.values(field).some((one) => test(textOf(one))));
  const actions = actionsOf(field, glob, line, problems);
  const [only] = glob;
  if (glob.length === 1 && typeof only === 'string') return oneOf(field, [only], actions);
  const matches = (seen: Seen) => {
    for (const text of seen.folded(field)) if (test(text)) return true;
    return false;
  };
  return { test: matches, actions, needs: needsOfGlob(field, glob) };
}

/** The action codes that a test allows, for the index of actions. */
function actionsOf(
  { name }: FieldSlot,
  glob: Glob,
  line: number,
  problems: Problems,
): ReadonlySet<string> | null {
  const [only] = glob;
  if (glob.length !== 1 || typeof only !== 'string') return null;
  if (name === 'actionId') return new Set([only]);
  if (name === 'EventID' && only === '18456') return new Set(FAILED_LOGIN_ACTIONS.map(fold));
  if (name === 'EventID' && !EVENT_IDS.includes(only)) {
    problems.strangeId ??= line;
    return new Set();
  }
  return null;
}

function numberTest(
  field: FieldSlot,
  compare: (typeof COMPARE)[number],
  { value, written, line }: Extract<Node, { kind: 'scalar' }>,
  problems: Problems,
): Matcher | null {
  const limit = numberOf(written ?? value);
  if (limit === null || (typeof limit === 'number' && !Number.isFinite(limit)))
    return problems.add(line, `${compare} takes a number`);
  const holds = {
    lt: (n: number | bigint) => n < limit,
    lte: (n: number | bigint) => n <= limit,
    gt: (n: number | bigint) => n > limit,
    gte: (n: number | bigint) => n >= limit,
  }[compare];
  return free((seen) =>
    seen.values(field).some((one) => {
      const n = numberOf(one);
      return n !== null && holds(n);
    }),
  );
}

const WHOLE = /^-?\d{16,40}$/;

/** A number; null: the value is none. Long whole numbers keep all of their digits. */
function numberOf(value: Value): number | bigint | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return null;
  if (WHOLE.test(value)) return BigInt(value);
  const n = Number(value);
  return Number.isNaN(n) ? null : n;
}

function regexTest(
  field: FieldSlot,
  modifiers: ReadonlySet<string>,
  pattern: string,
  line: number,
  problems: Problems,
): Matcher | null {
  if (pattern.length > PATTERN_CHARS_MAX)
    return problems.add(line, `a regular expression has at most ${PATTERN_CHARS_MAX} characters`);
  const states = statesOf(pattern);
  problems.states += states;
  problems.cost += states * STATE_COST;
  if (states > PATTERN_STATES_MAX || problems.states > STATES_OF_FILE_MAX)
    return problems.add(
      line,
      `the regular expression is too large: written out, its repetitions have more than ${PATTERN_STATES_MAX} characters ` +
        `and classes, or those of the file more than ${STATES_OF_FILE_MAX}`,
    );
  let flags = 0;
  for (const [name, flag] of Object.entries(FLAGS)) if (modifiers.has(name)) flags |= flag;
  try {
    const compiled = RE2JS.compile(pattern, flags);
    const test = free((seen) => seen.values(field).some((one) => compiled.test(textOf(one))));
    return { ...test, needs: needsOfPattern(field, pattern) };
  } catch (error) {
    const { message } = error as Error;
    if (/`\(\?<?[=!]/.test(message))
      return problems.add(line, 'look-around is not supported: regular expressions are run in linear time');
    return problems.add(line, `the regular expression is not supported: ${short(message)}`);
  }
}

/** The approximate number of states of a regular expression, with repetitions written out. It is never too low. */
export function statesOf(pattern: string): number {
  const open: number[] = [];
  let [sum, last] = [0, 0];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string;
    const [repeat, least, most] = char === '{' ? (REPEAT.exec(pattern.slice(at, at + 14)) ?? []) : [];
    if (repeat !== undefined) {
      const times = Math.max(Number(least), Number(most || 0), 1);
      sum += last * (times - 1) + 1;
      last *= times;
      at += repeat.length - 1;
    } else if (char === '(') {
      open.push(sum);
      sum = 0;
    } else if (char === ')') {
      last = sum + 1;
      sum = (open.pop() ?? 0) + last;
    } else {
      if (char === '\\') at += 1;
      else if (char === '[') at = endOfClass(pattern, at);
      last = '*+?'.includes(char) ? last : 1;
      sum += 1;
    }
  }
  return open.reduce((all, one) => all + one, sum);
}

const REPEAT = /^\{(\d{1,5})(?:,(\d{0,5}))?\}/;

function cidrTest(field: FieldSlot, text: string, line: number, problems: Problems): Matcher | null {
  const network = parseAddresses(text);
  if (!network) return problems.add(line, `cidr takes a network such as 10.0.0.0/8, not ${short(text)}`);
  return free((seen) => seen.values(field).some((one) => isWithin(textOf(one), network)));
}

function fieldrefTest(
  field: FieldSlot,
  modifiers: ReadonlySet<string>,
  name: string,
  line: number,
  problems: Problems,
): Matcher | null {
  const other = fieldIn(name, problems);
  if (!other) return problems.add(line, unknownField(name));
  const textsOf = (seen: Seen, of: FieldSlot) =>
    modifiers.has('cased') ? seen.values(of).map(textOf) : seen.folded(of);
  const holds = modifiers.has('contains')
    ? (a: string, b: string) => a.includes(b)
    : modifiers.has('startswith')
      ? (a: string, b: string) => a.startsWith(b)
      : modifiers.has('endswith')
        ? (a: string, b: string) => a.endsWith(b)
        : (a: string, b: string) => a === b;
  return free((seen) => textsOf(seen, field).some((a) => textsOf(seen, other).some((b) => holds(a, b))));
}

export const unknownField = (name: string): string =>
  `events have no field ${short(name)}: the fields are those of the API, additional.*, the columns of ` +
  'sys.fn_get_audit_file, plainStatement, plainCode, procedures, calls, madeBy, servers, roleMember, grantee ' +
  'and auditName, and Provider_Name, EventID, Data, Channel and Computer';
