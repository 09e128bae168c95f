import { applied } from './functions';
import { narrow, numberOf } from './normal-form';
import type { Token } from './tokens';
import {
  binaryValue,
  joined,
  madeText,
  NULL,
  numberValue,
  SPENT,
  textValue,
  UNKNOWN,
  unknownOf,
  type Value,
} from './value';

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
      value = op === '+' ? this.#joined(value, next) : arithmetic(op, value, next);
    }
    this.#depth -= 1;
    return value;
  }

  /** Binary values are read anew when they are joined. */
  #joined(a: Value, b: Value): Value {
    if (a.hex === null || b.hex === null) return joined(a, b);
    return this.#isSpent(a.hex.length + b.hex.length) ? unknownOf([a, b], SPENT) : joined(a, b);
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
    if (kind === 'mark' && text !== '(' && !SIGNS.includes(text)) return UNKNOWN;
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
        return text === '(' ? this.#methods(this.#inParentheses()) : signed(text, this.#primary());
    }
  }

  /** Where QUOTED_IDENTIFIER is off, a text may have double quotes. */
  #isText({ kind, start }: Token): boolean {
    return kind === 'name' && this.sql[start] === '"' && !['(', '.'].includes(this.#mark());
  }

  #inParentheses(): Value {
    const value = this.read(this.#word() === 'select' ? this.at + 1 : this.at);
    if (this.#mark() !== ')') return { ...unknownOf([value, this.#skipped()]), chars: value.chars };
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
    const values = this.#arguments();
    return this.#isSpent(0) ? unknownOf(values, SPENT) : applied(call, values);
  }

  /** Reads up to the END of a CASE, without knowing which value it has. */
  #case(): Value {
    for (let depth = 1; depth > 0 && this.at < this.tokens.length; this.at++)
      depth += { case: 1, end: -1 }[this.#word()] ?? 0;
    return UNKNOWN;
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
      else if (kind === 'text') isMade ||= BASE64.test(text);
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
      const isBase64 = !this.#isSpent(0) && values.some(({ text }) => BASE64.test(text));
      result = unknownOf([result, ...values], ...(isBase64 ? ['base64'] : []));
    }
    return result;
  }
}

const OPERATORS = ['+', '-', '*', '/', '%', '&', '|', '^'];
const SIGNS = ['+', '-', '~'];
const BASE64 = /base64binary/i;

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

const TEXT_TYPE = /^n?(?:var)?char$|^n?text$|^sysname$/;

function ofType(type: string, value: Value, style: number | null): Value {
  if (!TEXT_TYPE.test(type)) return value;
  if (value.hex !== null) return madeText(value.text, [value], 'hex');
  const [, digits] = style === 1 || style === 2 ? (HEX_TEXT.exec(value.text) ?? []) : [];
  return digits ? madeText(binaryValue(digits).text, [value], 'hex') : value;
}
const HEX_TEXT = /^(?:0x)?([0-9a-f]{2,})$/i;
