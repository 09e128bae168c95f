import { LIMITS } from '../../limits';
import { isNumberField, SEARCHED_FIELDS } from '../fields';
import { integerText } from '../lifted';
import type { ExpressionField } from './expression';
import { fieldMeant } from './other-names';
import { fieldText, inQuotes, quoteValue } from './value-text';

/** What another language says and the filter language does not know. Its message is for the person who typed it. */
export class Unknown extends Error {
  override readonly name = 'Unknown';
}

/**
 * A part of a filter.
 * all     every event: its condition has no counterpart and was left out
 * one     a single condition
 * and/or  several, without parentheses around them
 */
export interface Part {
  readonly kind: 'all' | 'one' | 'and' | 'or';
  readonly text: string;
  /** Whether a time, or something else, was left out of it: such a part cannot be negated, nor one side of an OR. */
  readonly lacks: boolean;
}

export const one = (text: string): Part => ({ kind: 'one', text, lacks: false });
export const ALL: Part = { kind: 'all', text: '', lacks: true };

/** Makes parts of a filter of what another language says, and keeps what differs. */
export class Reading {
  readonly differences: string[] = [];
  range: string | null = null;
  #negations = 0;
  #depth = 0;

  /** Reads what stands within parentheses. */
  within<T>(read: () => T): T {
    if (++this.#depth > LIMITS.expressionDepthMax)
      throw new Unknown('Too many parentheses within each other.');
    const found = read();
    this.#depth--;
    return found;
  }

  /** Reads what is negated, and negates it. */
  not(read: () => Part): Part {
    this.#negations++;
    const part = this.within(read);
    this.#negations--;
    if (part.lacks) throw new Unknown('What has no counterpart here cannot be negated.');
    const isPlain = part.kind === 'one' && !part.text.startsWith('NOT ');
    return one(isPlain ? `NOT ${part.text}` : `NOT (${part.text})`);
  }

  join(kind: 'and' | 'or', parts: readonly Part[]): Part {
    const lacks = parts.some((part) => part.lacks);
    if (kind === 'or' && lacks && parts.length > 1)
      throw new Unknown('A side of an OR has no counterpart here.');
    const kept = parts.filter((part) => part.kind !== 'all');
    const [first] = kept;
    if (!first) return ALL;
    if (kept.length === 1) return { ...first, lacks };
    const isBare = (part: Part) => part.kind === 'one' || part.kind === kind;
    const texts = kept.map((part) => (isBare(part) ? part.text : `(${part.text})`));
    return { kind, text: texts.join(` ${kind.toUpperCase()} `), lacks };
  }

  /** @throws Unknown no field is meant */
  field(name: string): ExpressionField {
    const field = fieldMeant(name);
    if (!field) throw new Unknown(`No field is named ${shortened(name)}.`);
    return field;
  }

  equals(field: ExpressionField, value: string, isFolded: boolean): Part {
    const name = fieldText(field);
    if (field === 'statement') {
      this.#differs('finds statements that hold the text, not only those that are it');
      return one(`${name}:${quoteValue(value)}`);
    }
    if (field === 'succeeded') return one(`${name}:${value.toLowerCase()}`);
    if (isNumberField(field)) return one(`${name}:${numberOf(value)}`);
    return one(`${name}${isFolded && field !== 'recordId' ? '~' : ':'}${quoteValue(value)}`);
  }

  begins(field: ExpressionField, value: string, isFolded: boolean): Part {
    if (field === 'succeeded' || field === 'recordId' || isNumberField(field))
      throw new Unknown(`${fieldText(field)} has no beginnings.`);
    if (field === 'statement') {
      this.#differs('finds statements that hold the text, not only those that begin with it');
      return one(`statement:${quoteValue(value)}`);
    }
    const quoted = quoteValue(value);
    return one(`${fieldText(field)}${isFolded ? '~' : ':'}${quoted}*`);
  }

  /** The text anywhere within the field. @param isWord only as a word of its own */
  contains(field: ExpressionField, value: string, isWord: boolean, isExactCase = false): Part {
    if (value === '') throw new Unknown('An empty text is in everything.');
    if (isExactCase) this.#differs('finds the text in any letter case');
    if (field === 'statement') {
      if (isWord) this.#differs('finds the text within longer words too');
      return one(`statement:${quoteValue(value)}`);
    }
    if (!(SEARCHED_FIELDS as readonly string[]).includes(field))
      throw new Unknown(`Text within ${fieldText(field)} cannot be searched.`);
    this.#differs(`finds ${inQuotes(value)} in any field, not only in ${fieldText(field)}`);
    if (isWord && !SIMPLE.test(value)) this.#differs('finds the text within longer words too');
    return one(isWord ? this.word(value) : inQuotes(value));
  }

  /** A word in any field, as it is typed alone. */
  word(text: string): string {
    return SIMPLE.test(text) && quoteValue(text) === text ? text : inQuotes(text);
  }

  present(field: ExpressionField): Part {
    return one(`${fieldText(field)}:*`);
  }

  compared(field: ExpressionField, sign: string, value: string): Part {
    if (!isNumberField(field))
      throw new Unknown(`${fieldText(field)} is not a number: ${sign} does not compare it.`);
    return one(`${fieldText(field)}:${sign}${numberOf(value)}`);
  }

  any(field: ExpressionField, values: readonly string[], isFolded: boolean): Part {
    const parts = values.map((value) => this.equals(field, value, isFolded));
    const [first] = parts;
    if (!first) throw new Unknown('A list has no values.');
    return parts.length === 1 ? first : this.join('or', parts);
  }

  /** The time from `amount` units ago until now. */
  since(amount: string, unit: string): Part {
    if (this.range !== null) throw new Unknown('Two times are named.');
    const [times, letter] = UNITS[unit] ?? [];
    const number = Number(amount) * (times ?? Number.NaN);
    if (!letter || !Number.isInteger(number) || number < 1 || number > AMOUNT_MAX)
      throw new Unknown(`The time ${shortened(amount + unit)} is not known: choose it as the time range.`);
    this.range = `${number}${letter}`;
    return ALL;
  }

  leftOut(what: string): Part {
    this.#tell(`${shortened(what)} is left out.`);
    return ALL;
  }

  /** The question here is wider or narrower. Negated, it would be so the other way around. */
  #differs(how: string): void {
    if (this.#negations > 0) throw new Unknown(`The opposite cannot be asked: the filter ${how}.`);
    this.#tell(`It ${how}.`);
  }

  #tell(what: string): void {
    if (!this.differences.includes(what) && this.differences.length < DIFFERENCES_MAX)
      this.differences.push(what);
  }
}

const SIMPLE = /^[\p{L}\p{N}]+$/u;
const DIFFERENCES_MAX = 5;
/** As the page's ranges have it. */
const AMOUNT_MAX = 9_999;
const UNITS: Readonly<Record<string, readonly [number, 'm' | 'h' | 'd']>> = {
  m: [1, 'm'],
  min: [1, 'm'],
  minute: [1, 'm'],
  minutes: [1, 'm'],
  h: [1, 'h'],
  hr: [1, 'h'],
  hour: [1, 'h'],
  hours: [1, 'h'],
  d: [1, 'd'],
  day: [1, 'd'],
  days: [1, 'd'],
  w: [7, 'd'],
  week: [7, 'd'],
  weeks: [7, 'd'],
};

function numberOf(text: string): string {
  const number = integerText(text);
  if (number === null) throw new Unknown(`${shortened(text)} is not a whole number.`);
  return number;
}

const SHOWN_CHARS = 40;
export const shortened = (text: string): string =>
  text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
