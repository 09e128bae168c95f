import { refusal } from '../errors';
import {
  empty,
  notOneOf,
  outOfRange,
  type Problem,
  type ProblemCode,
  problem,
  tooLong,
  tooMany,
} from '../problem';
import { LAST_TICKS, parseTicks } from './event-time';
import { termsOf } from './expression/expression';
import { otherLanguageHint } from './expression/other-language';
import { parseFilter } from './expression/parse-filter';
import type { InputShape, ParameterSpec, ParameterSpecs, ParameterValues } from './parameter-specs';
import { parseSearch } from './search';
import { isUuid } from './uuid';

/** Stands for a value whose bytes are not UTF-8. Any text in its place would find other events, or none. */
export const ILL_ENCODED = Symbol('ill-encoded');

/** Parameters as they were given. `null` and `undefined` count as not given. */
export type Given = Readonly<Record<string, unknown>>;

/** The values that were found sound, and what is wrong with the others. Without problems the values are all there. */
interface Checked<S extends ParameterSpecs> {
  readonly values: ParameterValues<S>;
  readonly problems: readonly Problem[];
}

/**
 * Checked values, defaults filled in; ids are in lower case, times and searches stay text.
 * @param given query parameters or GraphQL arguments
 * @param alsoWrong problems that the caller of this function has already found
 * @throws DomainError `invalid_parameter` that names every problem
 */
export function parseParameters<S extends ParameterSpecs>(
  specs: S,
  given: Given,
  alsoWrong: readonly Problem[] = [],
): ParameterValues<S> {
  const { values, problems } = checkParameters(specs, given);
  if (alsoWrong.length + problems.length > 0) throw refusal([...alsoWrong, ...problems]);
  return values;
}

/** As `parseParameters`, for an operation that tells the problems together with others. */
export function checkParameters<S extends ParameterSpecs>(specs: S, given: Given): Checked<S> {
  const problems: Problem[] = [];
  const values = readAll(specs, given, '', problems);
  problems.push(...rangeProblems(values));
  return { values: values as ParameterValues<S>, problems };
}

/** Parameters that an entrance has parsed, and the table that it used. */
export interface Parsed {
  readonly specs: ParameterSpecs;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A call. Without one, nothing is parsed yet. */
type WithParsed = (Masked & { readonly parsed?: Parsed }) | undefined;

/** A caller, as far as it decides which conditions it may use. */
interface Masked {
  /** The tenants whose statements the caller sees without literals. */
  readonly masked?: ReadonlySet<string>;
}

/**
 * Refuses conditions on words and statements to a caller who sees statements without literals: the number of events
 * that match would tell a literal, word by word.
 * @throws DomainError `invalid_parameter`
 */
export function refuseHidden(specs: ParameterSpecs, values: Given, { masked }: Masked): void {
  if ((masked?.size ?? 0) === 0) return;
  const names = Object.keys(specs).filter((name) => looksIntoStatements(specs[name]?.kind, values[name]));
  if (names.length > 0) throw refusal(names.map(hiddenProblem));
}

function looksIntoStatements(kind: ParameterSpec['kind'] | undefined, value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false;
  if (kind === 'search') return true;
  const parsed = kind === 'filter' ? parseFilter(value) : null;
  if (parsed === null || 'problem' in parsed) return false;
  return termsOf(parsed.expression).some((term) => term.kind === 'words' || term.field === 'statement');
}

/** A condition that would tell literals to a caller who sees statements without them. */
export const hiddenProblem = (name: string): Problem =>
  problem(
    name,
    'refused',
    'looks into statements, whose literals this caller may not see: name fields, or use a key with the scope unmask',
  );

/**
 * A method that takes the arguments of GraphQL, made of one that takes checked values. They are parsed here, unless
 * the entrance has parsed them by the same table.
 */
export function withParameters<S extends ParameterSpecs, R>(
  specs: S,
  method: (values: ParameterValues<S>, call: WithParsed, root: unknown) => R,
) {
  return function (this: unknown, given: Given, call: WithParsed, root: unknown): R {
    const parsed = call?.parsed;
    const values =
      parsed?.specs === specs ? (parsed.values as ParameterValues<S>) : parseParameters(specs, given);
    if (call) refuseHidden(specs, values, call);
    return method.call(this, values, call, root);
  };
}

/** @param prefix what stands before the names of the fields */
function readAll(specs: ParameterSpecs, given: Given, prefix: string, problems: Problem[]) {
  for (const name of Object.keys(given)) {
    // An ignored filter would silently widen an audit search.
    if (!Object.hasOwn(specs, name))
      problems.push(problem(quoted(prefix + name), 'unknown', 'is not a parameter here'));
  }
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const value = given[name];
    const at = new FieldProblems(prefix + name, problems);
    if (value !== undefined && value !== null) values[name] = read(spec, value, at);
    else if ('default' in spec) values[name] = spec.default;
    else values[name] = spec.isRequired ? at.wrong('missing', 'must be given') : undefined;
  }
  return values;
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 60));

/** Where a value stands, and the problems of all values so far. */
class FieldProblems {
  constructor(
    readonly field: string,
    readonly problems: Problem[],
  ) {}

  wrong(code: ProblemCode, says: string): undefined {
    return this.add(problem(this.field, code, says));
  }

  add(...found: readonly Problem[]): undefined {
    this.problems.push(...found);
    return undefined;
  }
}

/** @returns undefined: the value has a problem, which was added */
function read(spec: ParameterSpec, value: unknown, at: FieldProblems): unknown {
  if (value === ILL_ENCODED) return at.wrong('malformed', 'must be UTF-8 that is percent-encoded');
  switch (spec.kind) {
    case 'json':
    case 'scalar':
      return value;
    case 'choices':
      return readChoices(spec.values, value, at);
    case 'texts':
      return readTexts(spec, value, at);
    case 'object':
      return spec.isList ? readObjects(spec, value, at) : readObject(spec.of, value, at);
  }
  if (Array.isArray(value)) return at.wrong('repeated', 'must be given once');
  switch (spec.kind) {
    case 'integer':
      return readInteger(spec, value, at);
    case 'count': {
      const isSound = Number.isSafeInteger(value) && Number(value) >= 0;
      return isSound ? value : at.wrong('out_of_range', 'must be a whole number, 0 or more');
    }
    case 'boolean':
      return /^(true|false)$/.test(String(value))
        ? String(value) === 'true'
        : at.wrong('malformed', 'must be true or false');
  }
  return typeof value === 'string' ? readText(spec, value, at) : at.wrong('malformed', 'must be text');
}

type Kind = ParameterSpec['kind'];
type SpecOf<K extends Kind> = Extract<ParameterSpec, { readonly kind: K }>;
type OfText = 'text' | 'search' | 'filter' | 'choice' | 'enum' | 'time' | 'id' | 'reference';

function readText(spec: SpecOf<OfText>, text: string, at: FieldProblems): unknown {
  if (spec.kind === 'reference') return text;
  if (text === '') return isEmptyAllowed(spec) ? text : at.add(empty(at.field));
  switch (spec.kind) {
    case 'choice':
    case 'enum': {
      const values = spec.kind === 'enum' ? Object.keys(spec.choices.values) : spec.values;
      return values.includes(text) ? text : at.add(notOneOf(at.field, values));
    }
    case 'id':
      return isUuid(text) ? text.toLowerCase() : at.wrong('malformed', 'must be a UUID');
    case 'time':
      return readTime(spec, text, at);
  }
  if (spec.charsMax !== undefined && text.length > spec.charsMax)
    return at.add(tooLong(at.field, spec.charsMax));
  if (spec.kind === 'text') {
    const problems = spec.check?.(text, at.field) ?? [];
    return problems.length > 0 ? at.add(...problems) : text;
  }
  const parsed = spec.kind === 'filter' ? parseFilter(text) : parseSearch(text);
  if (!('problem' in parsed)) return text;
  return at.wrong(
    'malformed',
    spec.kind === 'filter' ? `is not understood ${parsed.problem}${otherLanguageHint(text)}` : parsed.problem,
  );
}

const isEmptyAllowed = (spec: SpecOf<OfText>) =>
  (spec.kind === 'text' && spec.isEmptyAllowed) || ('default' in spec && spec.default === '');

function readInteger({ min, max }: SpecOf<'integer'>, value: unknown, at: FieldProblems): number | undefined {
  const n = /^-?\d{1,15}$/.test(String(value)) ? Number(value) : Number.NaN;
  if (n >= min && n <= (max ?? n)) return n;
  if (max === undefined) return at.add(problem(at.field, 'out_of_range', `must be ${min} or more`, { min }));
  return at.add(outOfRange(at.field, min, max));
}

function readChoices(values: readonly string[], given: unknown, at: FieldProblems) {
  const isSound = Array.isArray(given) && given.length > 0 && given.every((value) => values.includes(value));
  if (isSound) return [...new Set(given)];
  const says = `must be one or more of ${values.join(', ')}`;
  return at.add(problem(at.field, 'not_one_of', says, { values }));
}

function readTexts({ itemsMax, check }: SpecOf<'texts'>, given: unknown, at: FieldProblems) {
  if (!Array.isArray(given) || given.some((item) => typeof item !== 'string'))
    return at.wrong('malformed', 'must be a list of texts');
  if (itemsMax !== undefined && given.length > itemsMax) return at.add(tooMany(at.field, itemsMax));
  const problems = check?.(given, at.field) ?? [];
  return problems.length > 0 ? at.add(...problems) : given;
}

function readObjects({ of, itemsMax }: SpecOf<'object'>, given: unknown, at: FieldProblems) {
  if (!Array.isArray(given)) return at.wrong('malformed', 'must be a list');
  if (itemsMax !== undefined && given.length > itemsMax) return at.add(tooMany(at.field, itemsMax));
  return given.map((item, i) => readObject(of, item, new FieldProblems(`${at.field}[${i}]`, at.problems)));
}

function readObject({ fields }: InputShape, given: unknown, at: FieldProblems) {
  if (typeof given !== 'object' || given === null) return at.wrong('malformed', 'must be an object');
  return readAll(fields, given as Given, `${at.field}.`, at.problems);
}

/** The database takes no time of the year 0. */
const STORED_MIN = parseTicks('0001-01-01') ?? 0n;
/** Whether a time can be kept: as `isStored` of a `TimeSpec`. */
export function canBeStored(text: string): boolean {
  const ticks = parseTicks(text);
  return ticks !== null && ticks >= STORED_MIN && ticks <= LAST_TICKS;
}
const TIME_PROBLEM =
  'must be an ISO 8601 date or date and time such as 2026-11-19T23:59:56Z (write the + of an offset as %2B in a URL)';

function readTime({ words = [], isStored }: SpecOf<'time'>, text: string, at: FieldProblems) {
  const isTime = isStored ? canBeStored(text) : parseTicks(text) !== null;
  if (isTime || words.includes(text)) return text;
  return at.wrong(
    'malformed',
    words.length === 0 ? TIME_PROBLEM : `${TIME_PROBLEM}, or one of ${words.join(', ')}`,
  );
}

function rangeProblems(values: Given): Problem[] {
  const { startTime, endTime } = values;
  if (typeof startTime !== 'string' || typeof endTime !== 'string') return [];
  return (parseTicks(startTime) ?? 0n) > (parseTicks(endTime) ?? 0n)
    ? [problem('startTime', 'conflict', 'must not be after endTime')]
    : [];
}
