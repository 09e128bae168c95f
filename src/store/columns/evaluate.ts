import { floorDiv, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { allOf, type Expression, equals, type FieldTerm, termsOf } from '../../event/expression/expression';
import { ComparedValue, matchesValue } from '../../event/expression/matches';
import { isNumberField } from '../../event/fields';
import { FILTERS } from '../../event/filters';
import { exactInteger, integerText } from '../../event/lifted';
import { type AuditEventFilter, givenFilters, type TimeRange } from '../../event/query';
import type { SearchTerm } from '../../event/search';
import { wholeWordsOf } from '../../event/search-terms';
import { fromStored, toStored } from '../rows/stored-text';
import { indexKeyOf } from '../words/index-words';
import { type Bits, bitsOfCodes, isNone, noBits } from './bits';
import type { Codes, Column, NumberColumn } from './codec';
import { type ColumnField, isColumnField, kindOf, OUTCOME } from './column-fields';
import { both, either, known, MAYBE, NO, negated, type Verdict, type Verdicts, YES } from './verdicts';

/** All conditions of a filter except its range, as one expression; null: there are none. */
export function wholeExpression(filter: AuditEventFilter): Expression | null {
  const plain = givenFilters(filter).map(
    (name): FieldTerm => equals(FILTERS[name].field, String(filter[name])),
  );
  const words = filter.search.map((term): Expression => ({ kind: 'words', term }));
  return allOf([...plain, ...(filter.expression ? [filter.expression] : []), ...words]);
}

/** The index keys of a term: in an hour without one of them, the term cannot hold. */
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

/** One hour of a tenant with its columns. */
export interface HourOfColumns {
  readonly hour: number;
  readonly n: number;
  readonly times: Int32Array | null;
  /** Null: the hour has no such column. */
  column(field: ColumnField): Column | null;
  /** The same of a number field, without numbers of its values. */
  numbers(field: ColumnField): NumberColumn | null;
}

/** A number with its kind and its value, from `termValuesStatement`. */
export interface NumberedValue {
  readonly kind: number;
  readonly id: number;
  readonly value: string;
}

/**
 * For each term, by the number of a value: 1 if the term holds of the value, else 0. Larger numbers are not asked for.
 */
export type Holding = ReadonlyMap<FieldTerm, Uint8Array>;

/** Comparisons in one step: a small part of a millisecond each time. */
const COMPARED_AT_ONCE = 512;

/**
 * Compares values with the terms that may be about them. A filter has up to a hundred terms, and a tenant any number of
 * values, so this is work in steps.
 */
export function* holdingSteps(
  terms: readonly FieldTerm[],
  values: readonly NumberedValue[],
): Generator<void, Holding> {
  const holding = new Map<FieldTerm, Uint8Array>();
  const lastIds = new Map<number, number>();
  for (const { kind, id } of values) lastIds.set(kind, Math.max(lastIds.get(kind) ?? 0, id));
  const ofKinds = new Map<number, { readonly term: FieldTerm; readonly ofIds: Uint8Array }[]>();
  for (const term of terms) {
    const kind = kindOf(term.field as ColumnField) as number;
    const ofIds = new Uint8Array((lastIds.get(kind) ?? 0) + 1).fill(holdsOfOthers(term));
    holding.set(term, ofIds);
    ofKinds.set(kind, [...(ofKinds.get(kind) ?? []), { term, ofIds }]);
  }
  let compared = 0;
  for (const { kind, id, value } of values) {
    const own = ofKinds.get(kind) ?? [];
    const text = new ComparedValue(fromStored(value));
    for (const { term, ofIds } of own) ofIds[id] = text.passes(term) ? 1 : 0;
    compared += own.length + 1;
    if (compared < COMPARED_AT_ONCE) continue;
    compared = 0;
    yield;
  }
  return holding;
}

/** Tells by columns which events of a tenant pass a filter. */
export class Evaluator {
  readonly #cut: readonly number[];

  constructor(
    private readonly question: {
      readonly tenantId: number;
      readonly expression: Expression | null;
      readonly range: TimeRange;
      /** The hours that have the word of an index key. Nothing is known of a key that is missing here. */
      readonly wordHours: ReadonlyMap<string, ReadonlySet<number>>;
    },
    private readonly holding: Holding,
  ) {
    this.#cut = cutHours(question.range);
  }

  of(hour: HourOfColumns): Verdicts {
    const { expression, range } = this.question;
    const within = this.#cut.includes(hour.hour) ? inRange(hour, range) : YES;
    return expression ? this.#and([expression], hour, within, null) : within;
  }

  /** @param so the verdicts so far */
  #and(parts: readonly Expression[], hour: HourOfColumns, so: Verdicts, within: Bits | null): Verdicts {
    let all = so;
    for (const part of parts) {
      if (typeof all === 'number' ? all === NO : isNone(all.can)) return NO;
      all = both(all, this.#evaluate(part, hour, typeof all === 'number' ? within : all.can));
    }
    return all;
  }

  /** @param within the events that are asked about: the answer for other events may be anything. Null: all events */
  #evaluate(expression: Expression, hour: HourOfColumns, within: Bits | null): Verdicts {
    switch (expression.kind) {
      case 'not':
        return negated(this.#evaluate(expression.of, hour, within));
      case 'and':
        return this.#and(expression.of, hour, YES, within);
      case 'or': {
        let any: Verdicts = NO;
        for (const part of expression.of) {
          any = either(any, this.#evaluate(part, hour, within));
          if (any === YES) return YES;
        }
        return any;
      }
      case 'words':
        return this.#words(keysOfTerm(expression.term), hour.hour);
      case 'field':
        return this.#field(expression, hour, within);
    }
  }

  #words(keys: readonly string[], hour: number): Verdict {
    const { wordHours } = this.question;
    return keys.some((key) => wordHours.get(key)?.has(hour) === false) ? NO : MAYBE;
  }

  #field(term: FieldTerm, hour: HourOfColumns, within: Bits | null): Verdicts {
    const { field } = term;
    if (field === 'tenantId') return matchesValue(term, String(this.question.tenantId)) ? YES : NO;
    if (!isColumnField(field)) return term.how === 'present' && field === 'recordId' ? YES : MAYBE;
    if (field === 'succeeded' && term.how === 'present') return YES;
    const asked = { n: hour.n, within };
    if (isNumberField(field)) {
      const numbers = hour.numbers(field);
      return numbers ? ofNumbers(numbers, term, asked) : MAYBE;
    }
    const column = hour.column(field);
    if (!column) return MAYBE;
    const ofIds =
      field === 'succeeded' ? OUTCOMES[term.text as keyof typeof OUTCOMES] : this.holding.get(term);
    return ofColumn(column, ofIds ?? NOTHING, holdsOfOthers(term), asked);
  }
}

/** @param ofIds by number, whether a term holds of its value @param others the same for numbers beyond `ofIds` */
function ofColumn(column: Column, ofIds: Uint8Array, others: 0 | 1, asked: Asked): Verdicts {
  const { ids } = column;
  const flags = new Uint8Array(ids.length);
  for (let k = 0; k < ids.length; k++) {
    const id = ids[k] as number;
    flags[k] = id < ofIds.length ? (ofIds[id] as number) : others;
  }
  return ofFlags(column, flags, asked);
}

interface Asked {
  readonly n: number;
  readonly within: Bits | null;
}

/** The numbers of an hour are in order, so a term is compared with few of them, and not with each event. */
function ofNumbers(column: NumberColumn, term: FieldTerm, asked: Asked): Verdicts {
  const { values } = column;
  const flags = new Uint8Array(values.length);
  const range = rangeOf(term, values);
  if (range) flags.fill(1, ...range);
  else for (let k = 0; k < values.length; k++) flags[k] = matchesValue(term, String(values[k] ?? '')) ? 1 : 0;
  return ofFlags(column, flags, asked);
}

/** The places of the numbers that a term holds of, half-open. Null: they are in no order of numbers. */
function rangeOf({ how, text, bounds, isFolded }: FieldTerm, values: NumberColumn['values']) {
  const first = values[0] === null ? 1 : 0;
  const none = [0, 0] as const;
  // The first place whose number is at least, or is more than, a bound.
  const placeOf = (bound: number | bigint, isAfter: boolean) => {
    let [low, high] = [first, values.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const value = values[middle] as number | bigint;
      if (isAfter ? value <= bound : value < bound) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  if (how === 'present') return [first, values.length] as const;
  if (how === 'between') {
    const from = typeof bounds?.from === 'string' ? placeOf(exactInteger(bounds.from), false) : first;
    const to = typeof bounds?.to === 'string' ? placeOf(exactInteger(bounds.to), true) : values.length;
    return from < to ? ([from, to] as const) : none;
  }
  if (how !== 'equals' || isFolded) return null;
  if (text === '') return [0, first] as const;
  if (integerText(text) === null) return none;
  const number = exactInteger(text);
  return [placeOf(number, false), placeOf(number, true)] as const;
}

/** @param flags by code: 1 if the term holds */
function ofFlags(codes: Codes, flags: Uint8Array, { n, within }: Asked): Verdicts {
  let holds = 0;
  for (let k = 0; k < flags.length; k++) holds += flags[k] as number;
  if (holds === 0) return NO;
  return holds === flags.length ? YES : known(bitsOfCodes(codes, flags, n, within));
}

/** Whether a term holds of values that were not asked for. For `present`, only the absent value is asked for. */
export const holdsOfOthers = ({ how }: FieldTerm): 0 | 1 => (how === 'present' ? 1 : 0);

const NOTHING = new Uint8Array(0);
const OUTCOMES = {
  true: Uint8Array.of(...[OUTCOME.failed, OUTCOME.succeeded].map((id) => (id === OUTCOME.succeeded ? 1 : 0))),
  false: Uint8Array.of(...[OUTCOME.failed, OUTCOME.succeeded].map((id) => (id === OUTCOME.failed ? 1 : 0))),
};

const TICKS_PER_HOUR = BigInt(HOUR_MS) * TICKS_PER_MS;
const startOf = (hour: number) => BigInt(hour) * TICKS_PER_HOUR;

/** The hours that a bound of the range cuts, so that the times of their events are needed. */
export const cutHours = ({ from, to }: TimeRange): number[] =>
  [from, to].flatMap((bound) =>
    bound === null || bound % TICKS_PER_HOUR === 0n ? [] : [Number(floorDiv(bound, TICKS_PER_HOUR))],
  );

/** Times are whole milliseconds. For a bound within a millisecond, the verdict on the events of that one is `MAYBE`. */
function inRange({ hour, n, times }: HourOfColumns, range: TimeRange): Verdicts {
  if (!times) return MAYBE;
  const [from, to] = [cutAt(hour, range.from), cutAt(hour, range.to)];
  const [is, can] = [noBits(n), noBits(n)];
  for (let i = 0; i < n; i++) {
    const time = times[i] as number;
    const begun = !from || time > from.ms ? YES : time < from.ms ? NO : from.isWhole ? YES : MAYBE;
    const open = !to || time < to.ms ? YES : time > to.ms ? NO : to.isWhole ? NO : MAYBE;
    const verdict = Math.min(begun, open);
    const bit = 1 << (i & 31);
    if (verdict === YES) is[i >> 5] = (is[i >> 5] as number) | bit;
    if (verdict !== NO) can[i >> 5] = (can[i >> 5] as number) | bit;
  }
  return { is, can };
}

function cutAt(hour: number, bound: bigint | null) {
  if (bound === null) return null;
  const ticks = bound - startOf(hour);
  return { ms: Number(floorDiv(ticks, TICKS_PER_MS)), isWhole: ticks % TICKS_PER_MS === 0n };
}
