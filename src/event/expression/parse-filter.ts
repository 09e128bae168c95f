import { LIMITS } from '../../limits';
import { isNumberField, NUMBER_FIELDS } from '../fields';
import { INT64, integerText } from '../lifted';
import { parseNetwork } from '../network';
import { parseSearch } from '../search';
import { isUuid } from '../uuid';
import {
  allOf,
  type Bounds,
  EXPRESSION_NAMES,
  type Expression,
  type ExpressionField,
  type FieldTerm,
  fieldNamed,
} from './expression';
import { nearestNames } from './nearest';
import { FilterProblem, Scanner } from './scanner';

type ParsedFilter =
  | { readonly expression: Expression }
  /** `at`: the offset in UTF-16 units, from 0. `problem` names the same place, counted from 1. */
  | { readonly problem: string; readonly at: number };

/** The expression that a caller typed into `filter`, or what is wrong with it. */
export function parseFilter(text: string): ParsedFilter {
  try {
    return { expression: new FilterParser(text).parse() };
  } catch (error) {
    if (!(error instanceof FilterProblem)) throw error;
    return { problem: `at character ${error.at + 1}: ${error.message}`, at: error.at };
  }
}

/** The field that the values within the parentheses of `field:( … )` are compared with. */
interface Subject {
  readonly field: ExpressionField;
  readonly isFolded: boolean;
  /** Whether the values are within parentheses. */
  readonly isGroup: boolean;
}

/**
 * A parser by recursive descent: each method reads the part that it is named after.
 *
 *     either   = both { "OR" both }
 *     both     = one { [ "AND" ] one }
 *     one      = { "NOT" | "-" } ( "(" either ")" | field | word | phrase )
 *     field    = name ( ":" | "~" ) ( value | "(" either-of-values ")" )
 *     value    = text | text "*" | '"' text '"' | '"' text '"*' | "*" | network
 *              | ( ">" | ">=" | "<" | "<=" ) number | ( number | "*" ) "TO" ( number | "*" )
 *
 * A range stands within parentheses.
 */
class FilterParser {
  readonly #scan: Scanner;
  #terms = 0;
  #depth = 0;

  constructor(text: string) {
    this.#scan = new Scanner(text);
  }

  parse(): Expression {
    const expression = this.#either(null);
    if (this.#scan.next === ')') throw this.#problem('expected no closing parenthesis: none is open');
    return expression;
  }

  #either(subject: Subject | null): Expression {
    const parts = [this.#both(subject)];
    while (this.#scan.takeOperator('OR')) parts.push(this.#both(subject));
    return joined('or', parts);
  }

  #both(subject: Subject | null): Expression {
    const parts = [this.#one(subject)];
    while (this.#scan.takeOperator('AND') || this.#hasAnother()) parts.push(this.#one(subject));
    return joined('and', parts);
  }

  /** Whether a further part follows without an operator. */
  #hasAnother(): boolean {
    const { next } = this.#scan;
    return next !== '' && next !== ')' && this.#scan.operator() !== 'OR';
  }

  #one(subject: Subject | null): Expression {
    const isNot = this.#negations();
    const part = this.#scan.next === '(' ? this.#group(subject) : this.#term(subject);
    this.#scan.skipSpaces();
    return isNot ? { kind: 'not', of: part } : part;
  }

  /** Skips the negations before the next part. @returns whether together they negate it */
  #negations(): boolean {
    let isNot = false;
    for (;;) {
      this.#scan.skipSpaces();
      if (this.#scan.takeOperator('NOT')) isNot = !isNot;
      else if (this.#scan.take('-')) {
        if (this.#scan.isAtBorder && this.#scan.next !== '(')
          throw this.#problem('expected a term right after the minus sign');
        isNot = !isNot;
      } else return isNot;
    }
  }

  #group(subject: Subject | null): Expression {
    const start = this.#scan.at;
    this.#scan.take('(');
    if (++this.#depth > LIMITS.expressionDepthMax)
      throw new FilterProblem(
        start,
        `expected at most ${LIMITS.expressionDepthMax} parentheses within each other`,
      );
    const inner = this.#either(subject);
    if (!this.#scan.take(')')) throw this.#problem('expected a closing parenthesis');
    this.#depth--;
    return inner;
  }

  #term(subject: Subject | null): Expression {
    const operator = this.#scan.operator();
    if (operator || this.#scan.isAtBorder)
      throw this.#problem(
        `expected ${subject ? 'a value' : 'a term'}${operator ? ` before ${operator}` : ''}`,
      );
    if (subject) return this.#value(subject);
    if (this.#scan.next === '"') return this.#phrase();
    return this.#named() ?? this.#words();
  }

  #phrase(): Expression {
    this.#count();
    const text = this.#scan.quoted();
    // A star changes nothing: a phrase may end within a word anyway.
    this.#scan.take('*');
    return { kind: 'words', term: { kind: 'phrase', text } };
  }

  /** Null: the next word does not name a field. */
  #named(): Expression | null {
    const start = this.#scan.at;
    const word = this.#scan.word();
    const length = word.search(/[:~]/);
    if (length < 0) {
      this.#scan.at = start;
      return null;
    }
    const field = fieldNamed(word.slice(0, length));
    if (!field) throw new FilterProblem(start, noField(word.slice(0, length)));
    this.#scan.at = start + length + 1;
    const isGroup = this.#scan.next === '(';
    const subject = { field, isFolded: word[length] === '~', isGroup };
    if (isGroup) return this.#group(subject);
    if (this.#scan.isAtBorder)
      throw this.#problem(`expected a value right after "${word.slice(0, length + 1)}"`);
    return this.#value(subject);
  }

  #words(): Expression {
    const start = this.#scan.at;
    const parsed = parseSearch(this.#scan.word(), Number.POSITIVE_INFINITY);
    if ('problem' in parsed) throw new FilterProblem(start, 'expected a word: letters or digits');
    const parts = parsed.terms.map((term): Expression => {
      this.#count(start);
      return { kind: 'words', term };
    });
    return joined('and', parts);
  }

  #value(subject: Subject): Expression {
    const start = this.#scan.at;
    this.#count();
    const sign = this.#scan.comparison();
    if (sign !== '') return this.#compared(subject, sign, start);
    const isQuoted = this.#scan.next === '"';
    const given = isQuoted ? this.#quotedValue() : this.#plainValue();
    if (!isQuoted && this.#scan.takeRange()) return this.#range(subject, given, start);
    const term = termOf(subject, given, isQuoted);
    const problem = problemOf(term);
    if (problem) throw new FilterProblem(start, problem);
    return isNumberField(term.field) && term.how === 'equals'
      ? { ...term, text: numberOf(given, start) }
      : term;
  }

  /** A number that is compared by a sign, which was read. */
  #compared({ field }: Subject, sign: string, start: number): FieldTerm {
    if (!isNumberField(field)) throw new FilterProblem(start, noNumber(field, sign));
    const number = this.#number();
    const step = sign.endsWith('=') ? 0n : 1n;
    const bounds = sign.startsWith('>')
      ? { from: String(BigInt(number) + step), to: null }
      : { from: null, to: String(BigInt(number) - step) };
    return between(field, sign + number, bounds);
  }

  /** A range whose first end and TO were read. */
  #range({ field, isGroup }: Subject, first: Given, start: number): FieldTerm {
    if (!isNumberField(field)) throw new FilterProblem(start, noNumber(field, 'TO'));
    if (!isGroup)
      throw new FilterProblem(start, `expected a range in parentheses, such as ${field}:(10 TO 99)`);
    const from = isAny(first) ? null : numberOf(first, start);
    const end = this.#scan.at;
    const to = this.#scan.next === '*' ? this.#anyNumber() : this.#number();
    if (from !== null && to !== null && BigInt(from) > BigInt(to))
      throw new FilterProblem(end, `expected a number of at least ${from} as the end of the range`);
    return between(field, `${from ?? '*'} TO ${to ?? '*'}`, { from, to });
  }

  #number(): string {
    const start = this.#scan.at;
    return numberOf({ text: this.#scan.value(), isBeginning: false }, start);
  }

  /** The open end of a range. */
  #anyNumber(): null {
    const start = this.#scan.at;
    const given = this.#plainValue();
    if (!isAny(given)) numberOf(given, start);
    return null;
  }

  #quotedValue(): Given {
    const text = this.#scan.quoted();
    const isBeginning = this.#scan.take('*');
    if (!this.#scan.isAtBorder) throw this.#problem('expected a space after the quotation mark');
    return { text, isBeginning };
  }

  /** A star alone is the beginning of every value. */
  #plainValue(): Given {
    const start = this.#scan.at;
    const value = this.#scan.value();
    const star = value.indexOf('*');
    if (star >= 0 && star < value.length - 1)
      throw new FilterProblem(
        start + star,
        'expected * at the end of a value; in quotation marks it is itself',
      );
    return star < 0 ? { text: value, isBeginning: false } : { text: value.slice(0, -1), isBeginning: true };
  }

  #count(at = this.#scan.at): void {
    if (++this.#terms > LIMITS.expressionTermsMax)
      throw new FilterProblem(at, `expected at most ${LIMITS.expressionTermsMax} terms`);
  }

  #problem(text: string): FilterProblem {
    return new FilterProblem(this.#scan.at, text);
  }
}

interface Given {
  /** Empty: any value. */
  readonly text: string;
  readonly isBeginning: boolean;
}

const isAny = ({ text, isBeginning }: Given): boolean => text === '' && isBeginning;

function termOf({ field, isFolded }: Subject, given: Given, isQuoted: boolean): FieldTerm {
  const { text, isBeginning } = given;
  const isPlain = field === 'recordId' || field === 'succeeded' || isNumberField(field);
  const isNetwork = field === 'clientIp' && !isQuoted && !isBeginning && text.includes('/');
  const how = isNetwork ? 'within' : isBeginning ? 'begins' : 'equals';
  return {
    kind: 'field',
    field,
    how: text === '' ? 'present' : field === 'statement' ? 'holds' : how,
    text: field === 'recordId' || (field === 'succeeded' && isFolded) ? text.toLowerCase() : text,
    isFolded: isFolded && !isPlain && !isNetwork,
  };
}

const between = (field: ExpressionField, text: string, bounds: Bounds): FieldTerm => ({
  kind: 'field',
  field,
  how: 'between',
  text,
  isFolded: false,
  bounds,
});

const A_NUMBER = `a whole number from ${INT64.min} to ${INT64.max}`;

/** The number in its only form. */
function numberOf({ text, isBeginning }: Given, at: number): string {
  const [, sign = '', digits = ''] = /^([+-]?)0*(\d+)$/.exec(text) ?? [];
  const plain = digits === '0' || sign === '+' ? digits : sign + digits;
  const number = isBeginning ? null : integerText(plain);
  if (number === null) throw new FilterProblem(at, `expected ${A_NUMBER}`);
  return number;
}

const noNumber = (field: ExpressionField, sign: string): string =>
  `expected a field with numbers before ${sign}, one of ${NUMBER_FIELDS.join(', ')}, and not ${field}; put text with ${sign} in quotation marks`;

const joined = (kind: 'and' | 'or', parts: readonly Expression[]): Expression =>
  kind === 'and'
    ? (allOf(parts) as Expression)
    : parts.length === 1
      ? (parts[0] as Expression)
      : { kind, of: parts };

const NAME_CHARS_SHOWN = 40;

function noField(name: string): string {
  if (name === '') return 'expected the name of a field';
  if (/^eventtime$/i.test(name)) return 'expected a field other than eventTime: use startTime and endTime';
  if (/^statementpreview$/i.test(name)) return 'expected statement in place of statementPreview';
  const cut = name.slice(0, NAME_CHARS_SHOWN);
  const nearest = nearestNames(cut, EXPRESSION_NAMES);
  const shown = JSON.stringify(cut) + (nearest.length > 0 ? ` (nearest: ${nearest.join(', ')})` : '');
  return `expected a field in place of ${shown}, one of ${EXPRESSION_NAMES.join(', ')}; put text with : or ~ in quotation marks`;
}

function problemOf({ field, how, text }: FieldTerm): string | null {
  if (how === 'present') return null;
  if (field === 'succeeded')
    return how === 'equals' && /^(true|false)$/.test(text) ? null : 'expected true or false';
  if (field === 'recordId' && how === 'equals' && !isUuid(text)) return 'expected a UUID';
  if (isNumberField(field) && how === 'begins') return `expected ${A_NUMBER}`;
  if (how === 'within' && !parseNetwork(text))
    return 'expected a network such as 10.0.0.0/8 or 2001:db8::/32 (IPv4 is written as IPv4); put other text with / in quotation marks';
  return null;
}
