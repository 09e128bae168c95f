import { floorDiv, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { allOf, type Expression, type FieldTerm, termsOf } from '../../event/expression/expression';
import { matchesValue } from '../../event/expression/matches';
import { FILTERS, givenFilters } from '../../event/filters';
import type { AuditEventFilter, TimeRange } from '../../event/query';
import type { SearchTerm } from '../../event/search';
import { wholeWordsOf } from '../../event/search-terms';
import { indexKeyOf } from '../index-words';
import { fromStored, toStored } from '../stored-text';
import type { Column } from './codec';
import { type ColumnField, isColumnField, kindOf, OUTCOME } from './column-fields';
import { both, byCode, either, MAYBE, NO, negated, type Verdict, type Verdicts, YES } from './verdicts';

/** All that a filter says of an event but its range, as one expression; null: nothing. */
export function wholeExpression(filter: AuditEventFilter): Expression | null {
  const plain = givenFilters(filter).map(
    (name): FieldTerm => ({
      kind: 'field',
      field: FILTERS[name].field,
      how: 'equals',
      text: String(filter[name]),
      isFolded: false,
    }),
  );
  const words = filter.search.map((term): Expression => ({ kind: 'words', term }));
  return allOf([...plain, ...(filter.expression ? [filter.expression] : []), ...words]);
}

/** The keys of the index that tell where a term cannot hold. */
export const keysOfTerm = (term: SearchTerm): string[] =>
  wholeWordsOf(term).map((word) => indexKeyOf(toStored(word)));

/** Terms that the numbers of values answer. */
export const numberedTerms = (expression: Expression | null): FieldTerm[] =>
  (expression ? termsOf(expression) : []).filter(
    (term): term is FieldTerm =>
      term.kind === 'field' && isColumnField(term.field) && kindOf(term.field) !== null,
  );

export const columnsOfTerms = (expression: Expression | null): ColumnField[] => {
  const fields = (expression ? termsOf(expression) : []).map((term) =>
    term.kind === 'field' ? term.field : null,
  );
  return [...new Set(fields.filter((field) => field !== null && isColumnField(field)))] as ColumnField[];
};

/** One hour of a tenant, as its columns state it. */
export interface HourOfColumns {
  readonly hour: number;
  readonly n: number;
  readonly times: Int32Array | null;
  /** Null: the hour has no such column. */
  column(field: ColumnField): Column | null;
}

/** A number, its kind and its value, as `termValuesStatement` finds them. */
export interface NumberedValue {
  readonly kind: number;
  readonly id: number;
  readonly value: string;
}

/** Tells by columns which events of a tenant a filter leaves. */
export class Evaluator {
  /** By term, the numbers of the values it holds for; of `present` those it does not hold for. */
  readonly #ids = new Map<FieldTerm, ReadonlySet<number>>();

  constructor(
    private readonly question: {
      readonly tenantId: number;
      readonly expression: Expression | null;
      readonly range: TimeRange;
      /** By key of the index, hours that have the word; what is not in it is not known. */
      readonly wordHours: ReadonlyMap<string, ReadonlySet<number>>;
    },
    values: readonly NumberedValue[],
  ) {
    for (const term of numberedTerms(question.expression)) {
      const kind = kindOf(term.field as ColumnField);
      const own = values.filter((value) => value.kind === kind);
      const holds = ({ value }: NumberedValue) => matchesValue(term, fromStored(value));
      const isAbout = (value: NumberedValue) => (term.how === 'present' ? !holds(value) : holds(value));
      this.#ids.set(term, new Set(own.filter(isAbout).map(({ id }) => id)));
    }
  }

  of(hour: HourOfColumns): Verdicts {
    const { expression, range } = this.question;
    return both(inRange(hour, range), expression ? this.#evaluate(expression, hour) : YES);
  }

  #evaluate(expression: Expression, hour: HourOfColumns): Verdicts {
    switch (expression.kind) {
      case 'not':
        return negated(this.#evaluate(expression.of, hour));
      case 'and': {
        let all: Verdicts = YES;
        for (const part of expression.of) {
          all = both(all, this.#evaluate(part, hour));
          if (all === NO) return NO;
        }
        return all;
      }
      case 'or': {
        let any: Verdicts = NO;
        for (const part of expression.of) {
          any = either(any, this.#evaluate(part, hour));
          if (any === YES) return YES;
        }
        return any;
      }
      case 'words':
        return this.#words(keysOfTerm(expression.term), hour.hour);
      case 'field':
        return this.#field(expression, hour);
    }
  }

  #words(keys: readonly string[], hour: number): Verdict {
    const { wordHours } = this.question;
    return keys.some((key) => wordHours.get(key)?.has(hour) === false) ? NO : MAYBE;
  }

  #field(term: FieldTerm, hour: HourOfColumns): Verdicts {
    const { field } = term;
    if (field === 'tenantId') return matchesValue(term, String(this.question.tenantId)) ? YES : NO;
    if (!isColumnField(field)) return term.how === 'present' && field === 'recordId' ? YES : MAYBE;
    if (field === 'succeeded' && term.how === 'present') return YES;
    const column = hour.column(field);
    if (!column) return MAYBE;
    const ids = field === 'succeeded' ? OUTCOMES[term.text as keyof typeof OUTCOMES] : this.#ids.get(term);
    const isPresent = term.how === 'present';
    const ofValues = Uint8Array.from(column.ids, (id) => (ids?.has(id) !== isPresent ? YES : NO));
    return byCode(ofValues, column.codes);
  }
}

const OUTCOMES = { true: new Set<number>([OUTCOME.succeeded]), false: new Set<number>([OUTCOME.failed]) };

/** Whether a bound lies within an hour, so that the times of its events are needed. */
export const isCut = (hour: number, { from, to }: TimeRange): boolean =>
  [from, to].some((bound) => bound !== null && bound > startOf(hour) && bound < startOf(hour + 1));

const startOf = (hour: number) => BigInt(hour) * BigInt(HOUR_MS) * TICKS_PER_MS;

/** Times are whole milliseconds: of a bound between two of them the events of that one are not known. */
function inRange({ hour, n, times }: HourOfColumns, range: TimeRange): Verdicts {
  if (!isCut(hour, range)) return YES;
  if (!times) return MAYBE;
  const [from, to] = [cutAt(hour, range.from), cutAt(hour, range.to)];
  const verdicts = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    const time = times[i] as number;
    const begun = !from || time > from.ms ? YES : time < from.ms ? NO : from.isWhole ? YES : MAYBE;
    const open = !to || time < to.ms ? YES : time > to.ms ? NO : to.isWhole ? NO : MAYBE;
    verdicts[i] = Math.min(begun, open);
  }
  return verdicts;
}

function cutAt(hour: number, bound: bigint | null) {
  if (bound === null) return null;
  const ticks = bound - startOf(hour);
  return { ms: Number(floorDiv(ticks, TICKS_PER_MS)), isWhole: ticks % TICKS_PER_MS === 0n };
}
