import { applied, trimmed } from './functions';
import { narrow, numberOf } from './normal-form';
import type { Token } from './tokens';
import {
  binaryValue,
  joined,
  madeText,
  marked,
  NULL,
  numberValue,
  SPENT,
  textValue,
  UNKNOWN,
  unknownOf,
  type Value,
} from './value';
import { xmlBinary, xmlText } from './xml-text';

/** The known values of variables, by their names in lower case. */
export type Variables = Map<string, Value>;

const DEPTH_MAX = 40;

/** How many characters may still go through functions, those of all statements that a statement executes together. */
export interface Work {
  left: number;
}

/** Computes expressions of tokens as far as a statement says their values itself. */
export class Expressions {
  #depth = 0;

  /** @param sql the statement of the tokens */
  constructor(
    private readonly sql: string,
    private readonly tokens: readonly Token[],
    private readonly variables: Variables,
    private readonly work: Work,
  ) {}

  /** The place behind the expression that was read last. */
  at = 0;

  /** The value of the expression that begins here. Afterwards `at` is the place behind it. */
  read(from: number): Value {
    this.at = from;
    if (this.#depth >= DEPTH_MAX) return UNKNOWN;
    this.#depth += 1;
    let value = this.#operand();
    for (let op = this.#mark(); OPERATORS.includes(op); op = this.#mark()) {
      this.at += 1;
      const next = this.#operand();
      value = JOINING.includes(op) ? this.#joined(value, next, op) : arithmetic(op, value, next);
    }
    this.#depth -= 1;
    return value;
  }

  /** Binary values are read anew when they are joined. */
  #joined(a: Value, b: Value, op: string): Value {
    // `||` joins numbers too, as texts.
    const [one, other] =
      op === '||'
        ? [
            { ...a, number: null },
            { ...b, number: null },
          ]
        : [a, b];
    if (one.hex === null || other.hex === null) return joined(one, other);
    return this.#isSpent(one.hex.length + other.hex.length)
      ? unknownOf([one, other], SPENT)
      : joined(one, other);
  }

  /** Whether so many characters more are too many. */
  #isSpent(chars: number): boolean {
    this.work.left -= chars;
    return this.work.left < 0;
  }

  /** A collation behind a text changes nothing of it. */
  #operand(): Value {
    const value = this.#primary();
    while (this.#word() === 'collate') this.at += 2;
    return value;
  }

  #mark(): string {
    const token = this.tokens[this.at];
    return token?.kind === 'mark' ? token.text : '';
  }

  #word(): string {
    const token = this.tokens[this.at];
    return token?.kind === 'word' ? token.text.toLowerCase() : '';
  }

  #primary(): Value {
    const token = this.tokens[this.at];
    if (!token) return UNKNOWN;
    const { kind, text } = token;
    if (kind === 'mark' && !OPENING.includes(text) && !SIGNS.includes(text)) return UNKNOWN;
    this.at += 1;
    switch (kind) {
      case 'text':
        return textValue(text);
      case 'number':
        return numberValue(numberOf(text));
      case 'binary':
        return binaryValue(text.slice(2));
      case 'variable':
        return this.#methods(this.variables.get(narrow(text).toLowerCase()) ?? UNKNOWN);
      case 'word':
      case 'name':
        if (this.#isText(token)) return textValue(text);
        return this.#methods(this.#named(narrow(text)));
      default:
        if (text === '{') return this.#escaped();
        return text === '(' ? this.#methods(this.#inParentheses()) : this.#signed(text);
    }
  }

  /** Any number of signs may stand before a value. */
  #signed(first: string): Value {
    const signs = [first];
    for (; SIGNS.includes(this.#mark()); this.at++) signs.push(this.#mark());
    return signs.reduceRight((value, sign) => signed(sign, value), this.#primary());
  }

  /** `{fn CONCAT('a','b')}` and `{d '2026-01-01'}`, as ODBC writes them. */
  #escaped(): Value {
    const value = this.read(this.at + 1);
    if (this.#mark() === '}') this.at += 1;
    return value;
  }

  /** Where QUOTED_IDENTIFIER is off, a text may have double quotes. */
  #isText({ kind, start }: Token): boolean {
    return kind === 'name' && this.sql[start] === '"' && !['(', '.'].includes(this.#mark());
  }

  #inParentheses(): Value {
    const isSelected = this.#word() === 'select';
    const value = this.read(isSelected ? this.at + 1 : this.at);
    if (this.#mark() !== ')') {
      const unknown = unknownOf([value, this.#skipped()]);
      // Which rows are selected is not known, but what is made of them.
      return { ...unknown, text: isSelected ? value.text : unknown.text, chars: value.chars };
    }
    this.at += 1;
    return value;
  }

  /** A name is a function, a column, or a text without quotes. */
  #named(name: string): Value {
    const call = name.toLowerCase();
    if (call === 'case') return this.#case();
    if (this.#mark() !== '(') return call === 'null' ? NULL : UNKNOWN;
    this.at += 1;
    if (call === 'cast' || call === 'try_cast') return this.#cast();
    if (call === 'convert' || call === 'try_convert') return this.#convert();
    if (call === 'iif') return this.#iif();
    if (call === 'trim') return this.#trim();
    const values = this.#arguments();
    return this.#isSpent(0) ? unknownOf(values, SPENT) : applied(call, values);
  }

  /** Reads up to the END of a CASE. Its value is known if the statement itself decides its conditions. */
  #case(): Value {
    let value: Value = UNKNOWN;
    let isOpen = this.#word() === 'when';
    for (let depth = 1; depth > 0 && this.at < this.tokens.length; ) {
      const word = this.#word();
      this.at += 1;
      depth += { case: 1, end: -1 }[word] ?? 0;
      if (!isOpen || depth !== 1 || (word !== 'when' && word !== 'else')) continue;
      const holds = word === 'else' || this.#condition();
      isOpen = holds === false;
      if (holds !== true || (word === 'when' && this.#word() !== 'then')) continue;
      value = this.read(word === 'when' ? this.at + 1 : this.at);
    }
    return value;
  }

  /** Whether comparisons of known values hold; null: they are something else. AND binds more than OR. */
  #condition(): boolean | null {
    let [any, all]: [boolean, boolean] = [false, true];
    for (;;) {
      const holds = this.#comparison();
      if (holds === null) return null;
      all &&= holds;
      const word = this.#word();
      if (word === 'or') [any, all] = [any || all, true];
      else if (word !== 'and') return word === 'then' || this.#mark() === ',' ? any || all : null;
      this.at += 1;
    }
  }

  #comparison(): boolean | null {
    const a = this.read(this.at);
    const op = this.#mark();
    if (!Object.hasOwn(COMPARISONS, op)) return null;
    const b = this.read(this.at + 1);
    if (!a.isKnown || !b.isKnown || this.#isSpent(a.text.length + b.text.length)) return null;
    return compared(op, a, b);
  }

  #iif(): Value {
    const holds = this.#condition();
    if (holds === null || this.#mark() !== ',') return this.#skipped();
    this.at += 1;
    const [yes = UNKNOWN, no = UNKNOWN] = this.#arguments();
    return holds ? yes : no;
  }

  /** `TRIM(t)`, `TRIM('x' FROM t)` and `TRIM(LEADING 'x' FROM t)` */
  #trim(): Value {
    const side = this.#word();
    const isNamed = ['leading', 'trailing', 'both'].includes(side);
    const first = this.read(isNamed ? this.at + 1 : this.at);
    const isOfChars = this.#word() === 'from';
    const text = isOfChars ? this.read(this.at + 1) : first;
    this.#skipped();
    if (!text.isKnown || !first.isKnown) return unknownOf([first, text]);
    if (this.#isSpent(first.text.length + text.text.length)) return unknownOf([first, text], SPENT);
    if (!isOfChars) return madeText(text.text.trim(), [text]);
    const [atStart, atEnd] = [side !== 'trailing', side !== 'leading'];
    return madeText(trimmed(text.text, first.text, { atStart, atEnd }), [first, text], 'trim');
  }

  /** The values up to the closing parenthesis, which is read too. */
  #arguments(): Value[] {
    const values: Value[] = [];
    while (this.at < this.tokens.length && this.#mark() !== ')') {
      const before = this.at;
      const value = this.read(this.at);
      this.work.left -= value.text.length;
      values.push(value);
      if (this.#mark() === ',') this.at += 1;
      else if (this.#mark() !== ')') {
        values.push(this.#skipped());
        return values;
      }
      if (this.at === before) break;
    }
    this.at += 1;
    return values;
  }

  /** Reads up to the end of the parentheses that are open, without knowing what they mean. */
  #skipped(): Value {
    let depth = 1;
    let isMade = false;
    for (; this.at < this.tokens.length; this.at++) {
      const { kind, text } = this.tokens[this.at] as Token;
      if (kind === 'mark') depth += text === '(' ? 1 : text === ')' ? -1 : 0;
      else if (kind === 'text') isMade ||= BINARY_TYPE.test(text);
      if (depth === 0) break;
    }
    this.at += 1;
    return isMade ? unknownOf([], 'base64') : UNKNOWN;
  }

  #cast(): Value {
    const value = this.read(this.at);
    const type = this.#word() === 'as' ? this.#typeAt(this.at + 1) : '';
    const rest = this.#skipped();
    return rest.marks.length > 0 ? unknownOf([value, rest]) : ofType(type, value, null);
  }

  #convert(): Value {
    const type = this.#typeAt(this.at);
    this.at += 1;
    if (this.#mark() === '(') {
      this.at += 1;
      this.#skipped();
    }
    if (this.#mark() !== ',') return this.#skipped();
    this.at += 1;
    const [value = UNKNOWN, style] = this.#arguments();
    return this.#isSpent(0) ? unknownOf([value], SPENT) : ofType(type, value, style?.number ?? null);
  }

  #typeAt(at: number): string {
    return this.tokens[at]?.text.toLowerCase() ?? '';
  }

  /** What methods, as of XML, make of a value. A path of names is a column. */
  #methods(value: Value): Value {
    let result = value;
    while (this.#mark() === '.' || this.#mark() === '::') {
      this.at += 1;
      const token = this.tokens[this.at];
      if (token?.kind !== 'word' && token?.kind !== 'name') return UNKNOWN;
      this.at += 1;
      if (this.#mark() !== '(') {
        result = UNKNOWN;
        continue;
      }
      this.at += 1;
      const values = this.#arguments();
      result = this.#ofMethod(narrow(token.text).toLowerCase(), result, values);
    }
    return result;
  }

  #ofMethod(method: string, value: Value, values: readonly Value[]): Value {
    const path = values[0]?.text ?? '';
    if (this.#isSpent(0)) return unknownOf([value, ...values]);
    if (method === 'value') {
      const binary = xmlBinary(path, (name) => this.#known(name));
      if (binary && !this.#isSpent(binary.hex.length))
        return marked(binaryValue(binary.hex), ...value.marks, binary.kind === 'hex' ? 'hex' : 'base64');
      if (value.isKnown && value.text !== '' && !BINARY_TYPE.test(path) && !this.#isSpent(value.text.length))
        return xmlValue(value, values);
    }
    const isBase64 = values.some(({ text }) => BINARY_TYPE.test(text));
    const unknown = unknownOf([value, ...values], ...(isBase64 ? ['base64'] : []));
    // Of rows that are joined by FOR XML, the text that each has is known.
    return method === 'value' && !value.isKnown ? { ...unknown, text: value.text } : unknown;
  }

  /** The text of a variable, if it is known. */
  #known(name: string): string | undefined {
    const value = this.variables.get(name);
    return value?.isKnown ? value.text : undefined;
  }
}

const JOINING = ['+', '||'];
const OPERATORS = [...JOINING, '-', '*', '/', '%', '&', '|', '^'];
const SIGNS = ['+', '-', '~'];
const OPENING = ['(', '{'];
const BINARY_TYPE = /(?:base64|hex)binary/i;

/** What a comparison says of the sign of a difference. */
const COMPARISONS: Readonly<Record<string, (sign: number) => boolean>> = {
  '=': (sign) => sign === 0,
  '<>': (sign) => sign !== 0,
  '!=': (sign) => sign !== 0,
  '<': (sign) => sign < 0,
  '>': (sign) => sign > 0,
  '<=': (sign) => sign <= 0,
  '>=': (sign) => sign >= 0,
};

function compared(op: string, a: Value, b: Value): boolean | null {
  if (a.number !== null && b.number !== null) return COMPARISONS[op]?.(a.number - b.number) ?? null;
  if (a.number !== null || b.number !== null) return null;
  const [one, other] = [a, b].map(({ text }) => text.trimEnd().toLowerCase()) as [string, string];
  return COMPARISONS[op]?.(one === other ? 0 : one < other ? -1 : 1) ?? null;
}

function signed(sign: string, value: Value): Value {
  if (sign === '+') return value;
  if (value.number === null) return unknownOf([value]);
  return numberValue(sign === '-' ? -value.number : ~value.number);
}

function arithmetic(op: string, { number: a, ...one }: Value, { number: b, ...other }: Value): Value {
  if (a === null || b === null)
    return unknownOf([
      { number: a, ...one },
      { number: b, ...other },
    ]);
  switch (op) {
    case '-':
      return numberValue(a - b);
    case '*':
      return numberValue(a * b);
    case '/':
      return b === 0 ? UNKNOWN : numberValue(Math.trunc(a / b));
    case '%':
      return b === 0 ? UNKNOWN : numberValue(a % b);
    case '&':
      return numberValue(a & b);
    case '|':
      return numberValue(a | b);
    default:
      return numberValue(a ^ b);
  }
}

/** What stands at a path of XML. As a binary value, it is written in Base64. */
function xmlValue(value: Value, values: readonly Value[]): Value {
  const [path = UNKNOWN, type = UNKNOWN] = values;
  const text = xmlText(value.text, path.text);
  if (!/^\s*(?:var)?binary\b/i.test(type.text)) return madeText(text, [value, ...values], 'xml');
  return marked(binaryValue(Buffer.from(text, 'base64').toString('hex')), ...value.marks, 'base64');
}

const TEXT_TYPE = /^n?(?:var)?char$|^n?text$|^sysname$/;

const BINARY_VALUE_TYPE = /^(?:var)?binary$/;

function ofType(type: string, value: Value, style: number | null): Value {
  const isText = TEXT_TYPE.test(type);
  if (!isText && !BINARY_VALUE_TYPE.test(type)) return value;
  if (value.hex !== null)
    return isText ? madeText(value.text, [value], ...(value.marks.length > 0 ? [] : ['hex'])) : value;
  const [, digits] = style === 1 || style === 2 ? (HEX_TEXT.exec(value.text) ?? []) : [];
  if (digits && !isText) return marked(binaryValue(digits), ...value.marks, 'hex');
  return digits ? madeText(binaryValue(digits).text, [value], 'hex') : value;
}
const HEX_TEXT = /^(?:0x)?([0-9a-f]{2,})$/i;
