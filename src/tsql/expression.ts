import { narrow, numberOf } from './normal-form';
import type { Token } from './tokens';
import {
  binaryValue,
  charValue,
  joined,
  madeText,
  marked,
  numberValue,
  textValue,
  UNKNOWN,
  unknownOf,
  type Value,
} from './value';

/** The known values of variables, by their names in lower case. */
export type Variables = Map<string, Value>;

const DEPTH_MAX = 40;

/** Computes expressions of tokens as far as a statement says their values itself. */
export class Expressions {
  #depth = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly variables: Variables,
  ) {}

  /** The place behind the expression that was read last. */
  at = 0;

  /** The value of the expression that begins here. Afterwards `at` is the place behind it. */
  read(from: number): Value {
    this.at = from;
    if (this.#depth >= DEPTH_MAX) return UNKNOWN;
    this.#depth += 1;
    let value = this.#primary();
    for (let op = this.#mark(); OPERATORS.includes(op); op = this.#mark()) {
      this.at += 1;
      const next = this.#primary();
      value = op === '+' ? joined(value, next) : arithmetic(op, value, next);
    }
    this.#depth -= 1;
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
        return this.#methods(this.#named(narrow(text)));
      default:
        return text === '(' ? this.#methods(this.#inParentheses()) : signed(text, this.#primary());
    }
  }

  #inParentheses(): Value {
    const value = this.read(this.#word() === 'select' ? this.at + 1 : this.at);
    if (this.#mark() !== ')') return { ...unknownOf([value, this.#skipped()]), chars: value.chars };
    this.at += 1;
    return value;
  }

  /** A name is a function, a column, or a text without quotes. */
  #named(name: string): Value {
    if (this.#mark() !== '(') return UNKNOWN;
    this.at += 1;
    const call = name.toLowerCase();
    if (call === 'cast' || call === 'try_cast') return this.#cast();
    if (call === 'convert' || call === 'try_convert') return this.#convert();
    return applied(call, this.#arguments());
  }

  /** The values up to the closing parenthesis, which is read too. */
  #arguments(): Value[] {
    const values: Value[] = [];
    while (this.at < this.tokens.length && this.#mark() !== ')') {
      const before = this.at;
      values.push(this.read(this.at));
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
    return ofType(type, value, style?.number ?? null);
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
      const isBase64 = values.some(({ text }) => BASE64.test(text));
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

type Made = (text: string, ...more: readonly string[]) => string;
/** Functions that change a text that is known. Nobody needs them for a text that he may write as it is. */
const CHANGES: Readonly<Record<string, Made>> = {
  reverse: (text) => [...text].reverse().join(''),
  replace: (text, from = '', to = '') => (from === '' ? text : text.replaceAll(from, to)),
  translate: (text, from = '', to = '') =>
    [...text].map((char) => (from.includes(char) ? (to[from.indexOf(char)] ?? '') : char)).join(''),
  stuff: (text, start = '1', length = '0', to = '') =>
    text.slice(0, Number(start) - 1) + to + text.slice(Number(start) - 1 + Number(length)),
  substring: (text, start = '1', length = '0') =>
    text.slice(Math.max(0, Number(start) - 1), Math.max(0, Number(start) - 1 + Number(length))),
  left: (text, length = '0') => text.slice(0, Number(length)),
  right: (text, length = '0') => (Number(length) > 0 ? text.slice(-Number(length)) : ''),
};
const PLAIN_CHANGES: Readonly<Record<string, Made>> = {
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  trim: (text) => text.trim(),
  ltrim: (text) => text.trimStart(),
  rtrim: (text) => text.trimEnd(),
};
/** Functions that read a text from something else. */
const DECODERS = ['decompress', 'base64_decode', 'decryptbypassphrase', 'decryptbykey'];

function applied(call: string, values: readonly Value[]): Value {
  const [first = UNKNOWN] = values;
  if (call === 'char' || call === 'nchar') return charValue(first.number ?? codeOf(first));
  if (call === 'concat') return values.reduce((all, one) => joined(asText(all), asText(one)), textValue(''));
  if (DECODERS.includes(call)) return unknownOf(values, call);
  const isKnown = values.length > 0 && values.every((one) => one.isKnown);
  const [text = '', ...more] = values.map((one) => one.text);
  const change = Object.hasOwn(CHANGES, call) ? CHANGES[call] : undefined;
  if (change)
    return isKnown ? madeText(change(text, ...more), values, call) : unknownOf(values, ...hiding(call));
  const plain = Object.hasOwn(PLAIN_CHANGES, call) ? PLAIN_CHANGES[call] : undefined;
  if (plain && isKnown) return madeText(plain(text), values);
  return values.length === 1
    ? { ...marked(UNKNOWN), marks: first.marks, chars: first.chars }
    : unknownOf(values);
}

/** Templates are filled by REPLACE, and lists lose their first comma by STUFF. A text is turned round to hide it. */
const hiding = (call: string) => (call === 'reverse' ? [call] : []);

const codeOf = ({ hex }: Value): number | null =>
  hex !== null && hex.length > 0 && hex.length <= 8 ? Number.parseInt(hex, 16) : null;

const asText = (value: Value): Value => (value.number === null ? value : { ...value, number: null });
