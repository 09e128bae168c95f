import { DomainError } from '../errors';
import { LIMITS } from '../limits';
import { parseTicks } from './event-time';
import { parseFilter } from './expression/parse-filter';
import { FILTER_NAMES, FILTERS, type FilterName, type FilterOfKind, isBooleanFilter } from './filters';
import { parseSearch } from './search';
import { isUuid } from './uuid';

/**
 * The parameters of the read operations, declared once: the REST facade parses query strings with them, the
 * GraphQL arguments and the OpenAPI document are made of them, and both entrances check with them.
 */
export type ParameterSpec = { readonly doc: string } & (
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly default: number }
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly default?: string }
  | { readonly kind: 'text' | 'search' | 'filter'; readonly charsMax: number }
  | { readonly kind: 'choices'; readonly values: readonly string[] }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'time'; readonly words?: readonly string[] }
  | { readonly kind: 'id'; readonly isOptional?: true }
);
export type ParameterSpecs = Readonly<Record<string, ParameterSpec>>;

/** Stands for a value whose bytes are not UTF-8. Any text in its place would find other events, or none. */
export const ILL_ENCODED = Symbol('ill-encoded');

/** `sortBy` values and the field each sorts by. Ties are sorted by record id in the same direction. */
export const SORTS = {
  Timestamp: 'recordId',
  eventTime: 'recordId',
  actionId: 'actionId',
  databaseName: 'databaseName',
  principalName: 'serverPrincipalName',
  serverPrincipalName: 'serverPrincipalName',
  succeeded: 'succeeded',
} as const;
export type SortField = (typeof SORTS)[keyof typeof SORTS];

type FilterParameters = {
  readonly [N in FilterName]: N extends FilterOfKind<'boolean'>
    ? { readonly kind: 'boolean'; readonly doc: string }
    : { readonly kind: 'text'; readonly charsMax: number; readonly doc: string };
};

const EXACT_FILTERS = Object.fromEntries(
  FILTER_NAMES.map((name) => {
    const { doc } = FILTERS[name];
    return [
      name,
      isBooleanFilter(name)
        ? { kind: 'boolean', doc }
        : { kind: 'text', charsMax: LIMITS.filterCharsMax, doc },
    ];
  }),
) as FilterParameters;

const FILTER_EXPRESSION = {
  kind: 'filter',
  charsMax: LIMITS.expressionCharsMax,
  doc: 'Boolean expression over the fields of an event, for example `objectName:Payroll AND NOT principalName:"CORP\\svc_etl" AND (actionId:UP OR actionId:DL)`. `field:value` compares exactly, `field:value*` a beginning, `field~value` without letter case, `field:(a OR b)` several values, `field:*` asks for the field; `statement:text` asks for a phrase of the statement; words and phrases stand as in `search`. `AND` may be left out; `NOT` or `-` binds first, then `AND`, then `OR`.',
} as const satisfies ParameterSpec;

const TIME_RANGE = {
  startTime: { kind: 'time', doc: 'Start of the time range, inclusive. Without an offset it is UTC.' },
  endTime: { kind: 'time', doc: 'End of the time range, exclusive. Without an offset it is UTC.' },
} as const satisfies ParameterSpecs;

/** The parameters that choose events for lists, counts and exports. */
export const FILTER_PARAMETERS = {
  search: {
    kind: 'search',
    charsMax: LIMITS.searchCharsMax,
    doc: 'Full-text search across event fields: each word must be a word of the event; `word*` matches a beginning; `"quoted text"` must stand as it is within one field. Letter case does not matter.',
  },
  filter: FILTER_EXPRESSION,
  ...EXACT_FILTERS,
  ...TIME_RANGE,
} as const satisfies ParameterSpecs;

const { search, ...OTHER_FILTERS } = FILTER_PARAMETERS;

export const LIST_PARAMETERS = {
  page: { kind: 'integer', min: 1, max: LIMITS.pageMax, default: 1, doc: '1-based page number.' },
  pageSize: {
    kind: 'integer',
    min: 1,
    max: LIMITS.pageSizeMax,
    default: LIMITS.pageSizeDefault,
    doc: 'Results per page.',
  },
  search,
  sortBy: { kind: 'choice', values: Object.keys(SORTS), doc: 'Column to sort by; ties by record id.' },
  sortDirection: { kind: 'choice', values: ['asc', 'desc'], default: 'desc', doc: 'Sort direction.' },
  ...OTHER_FILTERS,
} as const satisfies ParameterSpecs;

export const SUMMARY_PARAMETERS = {
  filter: FILTER_EXPRESSION,
  startTime: TIME_RANGE.startTime,
  endTime: { ...TIME_RANGE.endTime, doc: `${TIME_RANGE.endTime.doc} Default: now.` },
} as const satisfies ParameterSpecs;

export const RECORD_PARAMETERS = {
  recordId: { kind: 'id', doc: 'The unique record identifier: a UUID.' },
} as const satisfies ParameterSpecs;

type ValueOf<S extends ParameterSpec> = S extends { kind: 'integer' }
  ? number
  : S extends { kind: 'boolean' }
    ? boolean | undefined
    : S extends { kind: 'choices' }
      ? readonly string[] | undefined
      : S extends { isOptional: true }
        ? string | undefined
        : S extends { default: string } | { kind: 'id' }
          ? string
          : string | undefined;
export type ParameterValues<S extends ParameterSpecs> = { [N in keyof S]: ValueOf<S[N]> };

/**
 * Checked values, defaults filled in; times and searches stay text.
 * @param given query parameters or GraphQL arguments; `null` and `undefined` count as not given
 * @param alsoWrong problems that the caller of this function has already found
 * @throws DomainError `invalid_parameter` that names every problem
 */
export function parseParameters<S extends ParameterSpecs>(
  specs: S,
  given: Readonly<Record<string, unknown>>,
  alsoWrong: readonly string[] = [],
): ParameterValues<S> {
  const problems: string[] = [...alsoWrong];
  for (const name of Object.keys(given)) {
    // An ignored filter would silently widen an audit search.
    if (!Object.hasOwn(specs, name))
      problems.push(`${JSON.stringify(name.slice(0, 60))} is not a parameter here`);
  }
  const values: Record<string, ParsedValue | undefined> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const value = given[name];
    if (value === undefined || value === null) {
      values[name] = 'default' in spec ? spec.default : undefined;
    } else if (Array.isArray(value) && spec.kind !== 'choices') {
      problems.push(`${name} must be given once`);
    } else {
      const problem = problemOf(spec, value);
      if (problem) problems.push(`${name} ${problem}`);
      else values[name] = parsedValue(spec, value);
    }
  }
  problems.push(...rangeProblems(values));
  if (problems.length > 0) throw new DomainError('invalid_parameter', { public: `${told(problems)}.` });
  return values as ParameterValues<S>;
}

/** The first problems in one text: a query string may bring more unknown names than anybody reads. */
export function told(problems: readonly string[]): string {
  const left = problems.length - LIMITS.parameterProblemsMax;
  const shown = problems.slice(0, LIMITS.parameterProblemsMax).join('; ');
  return left > 0 ? `${shown}; and ${left} more` : shown;
}

/** Parameters that an entrance has parsed, and the table that it used. */
export interface Parsed {
  readonly specs: ParameterSpecs;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * The parameters of an operation. They are parsed here, unless the entrance has parsed them by the same table.
 * @throws DomainError as `parseParameters`
 */
export function parametersOf<S extends ParameterSpecs>(
  specs: S,
  args: Readonly<Record<string, unknown>>,
  { parsed }: { readonly parsed?: Parsed },
): ParameterValues<S> {
  return parsed?.specs === specs ? (parsed.values as ParameterValues<S>) : parseParameters(specs, args);
}

type ParsedValue = string | number | boolean | readonly string[];

function parsedValue({ kind }: ParameterSpec, value: unknown): ParsedValue {
  if (kind === 'choices') return [...new Set(value as readonly string[])];
  if (kind === 'integer') return Number(value);
  return kind === 'boolean' ? String(value) === 'true' : String(value);
}

function problemOf(spec: ParameterSpec, value: unknown): string | null {
  if (value === ILL_ENCODED) return 'must be UTF-8 that is percent-encoded';
  if (spec.kind === 'integer') {
    const sound =
      /^-?\d{1,15}$/.test(String(value)) && Number(value) >= spec.min && Number(value) <= spec.max;
    return sound ? null : `must be a whole number from ${spec.min} to ${spec.max}`;
  }
  if (spec.kind === 'boolean') return /^(true|false)$/.test(String(value)) ? null : 'must be true or false';
  if (spec.kind === 'choices') return choicesProblem(spec.values, value);
  if (typeof value !== 'string') return 'must be text';
  if (value === '') return 'must not be empty';
  if (spec.kind === 'choice')
    return spec.values.includes(value) ? null : `must be one of ${spec.values.join(', ')}`;
  if (spec.kind === 'id') return isUuid(value) ? null : 'must be a UUID';
  if (spec.kind === 'time') return timeProblem(spec.words ?? [], value);
  if (value.length > spec.charsMax) return `must be at most ${spec.charsMax} characters`;
  if (spec.kind === 'text') return null;
  if (spec.kind === 'filter') {
    const parsed = parseFilter(value);
    return 'problem' in parsed ? `is not understood ${parsed.problem}` : null;
  }
  const parsed = parseSearch(value);
  return 'problem' in parsed ? parsed.problem : null;
}

function choicesProblem(values: readonly string[], given: unknown): string | null {
  const isSound = Array.isArray(given) && given.length > 0 && given.every((value) => values.includes(value));
  return isSound ? null : `must be one or more of ${values.join(', ')}`;
}

const TIME_PROBLEM =
  'must be an ISO 8601 date or date and time such as 2026-11-19T23:59:56Z (write the + of an offset as %2B in a URL)';

function timeProblem(words: readonly string[], value: string): string | null {
  if (words.includes(value) || parseTicks(value) !== null) return null;
  return words.length === 0 ? TIME_PROBLEM : `${TIME_PROBLEM}, or one of ${words.join(', ')}`;
}

function rangeProblems(values: Readonly<Record<string, unknown>>): string[] {
  const { startTime, endTime } = values;
  if (typeof startTime !== 'string' || typeof endTime !== 'string') return [];
  return (parseTicks(startTime) ?? 0n) > (parseTicks(endTime) ?? 0n)
    ? ['startTime must not be after endTime']
    : [];
}
