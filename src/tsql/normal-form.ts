import { endOfQuoted, Scanner, type TokenKind } from './tokens';

/**
 * A statement in the form in which SQL Server understands it, so that spellings of the same statement look the same;
 * letter case stays. Comments and line breaks are left out. Words have one space between them, operators have one on
 * each side, and `. , ; ( ) = + ::` and signs have none. Names lose brackets and quotes that they do not need and
 * otherwise have brackets. Texts have single quotes and no N. Full-width letters and digits become plain ones, and
 * whole numbers are written in digits. The function takes linear time.
 */
export function normalForm(sql: string): string {
  const form = new NormalForm();
  const scanner = new Scanner(sql);
  while (scanner.next())
    if (scanner.kind !== 'space' && scanner.kind !== 'comment') form.add(scanner.kind, scanner.text);
  return form.toString();
}

/** A normal form without what its texts say: each is `''`. */
export function withoutTexts(form: string): string {
  const parts: string[] = [];
  let from = 0;
  QUOTED.lastIndex = 0;
  for (let quote = QUOTED.exec(form); quote; quote = QUOTED.exec(form)) {
    const { index } = quote;
    const isText = quote[0] === "'";
    const end = endOfQuoted(form, index + 1, isText ? "'" : ']');
    if (isText) {
      parts.push(form.slice(from, index), "''");
      from = end;
    }
    QUOTED.lastIndex = end;
  }
  return from === 0 ? form : parts.join('') + form.slice(from);
}
const QUOTED = /['[]/g;

/** Builds a normal form of tokens. */
export class NormalForm {
  readonly #parts: string[] = [];
  #last: Side = 'begin';

  add(kind: TokenKind, text: string): void {
    const own = spelled(kind, text);
    const side = kind === 'mark' ? sideOf(own, this.#last) : 'word';
    // Two minus signs that touch would begin a comment.
    if (isSpaced(this.#last, side) || (this.#last === 'sign' && own.startsWith('-'))) this.#parts.push(' ');
    this.#parts.push(own);
    this.#last = side;
  }

  toString(): string {
    return this.#parts.join('');
  }
}

/** What a token is to its neighbours. A `tight` mark takes no space on either side, a `sign` none behind it. */
type Side = 'begin' | 'word' | 'tight' | 'close' | 'operator' | 'sign';

function isSpaced(before: Side, side: Side): boolean {
  if (side === 'sign') return before === 'operator';
  return (before === 'word' || before === 'operator') && (side === 'word' || side === 'operator');
}

function sideOf(mark: string, before: Side): Side {
  if (mark === ')') return 'close';
  if (TIGHT_MARKS.includes(mark)) return 'tight';
  return mark === '-' && before !== 'word' && before !== 'close' ? 'sign' : 'operator';
}
const TIGHT_MARKS = ['.', ',', ';', '(', '=', '+', '+=', '::'];

/** How the normal form writes a token. */
function spelled(kind: TokenKind, text: string): string {
  switch (kind) {
    case 'text':
      return `'${narrow(text).replaceAll("'", "''")}'`;
    case 'name':
      return spelledName(narrow(text));
    case 'number':
      return spelledNumber(text);
    case 'word':
    case 'variable':
      return narrow(text);
    default:
      return text;
  }
}

const ASCII_NAME = /^[A-Za-z_#][\w@#$]*$/;
const PLAIN_NAME = /^[\p{L}_#][\p{L}\p{N}_@#$]*$/u;
/** The server does not see spaces at the end of a name. */
function spelledName(name: string): string {
  if (ASCII_NAME.test(name)) return name;
  const whole = name.trimEnd();
  return PLAIN_NAME.test(whole) ? whole : `[${whole.replaceAll(']', ']]')}]`;
}

const PLAIN_NUMBER = /^(?:0|[1-9]\d*)$/;
/** `$1`, `1e0`, `01` and `1.0` are 1. A number that JavaScript cannot hold keeps its digits. */
function spelledNumber(text: string): string {
  if (PLAIN_NUMBER.test(text)) return text;
  const value = numberOf(text);
  return Number.isSafeInteger(value) ? String(value) : text;
}

/** The value of a number token. */
export function numberOf(text: string): number {
  const digits = text.replace(/^[^\d.]/, '');
  return digits === '' ? 0 : Number(/e[+-]?$/i.test(digits) ? digits.replace(/e[+-]?$/i, '') : digits);
}

/**
 * Most servers do not distinguish full-width letters from plain ones, nor do many of them other forms of a Latin letter,
 * and characters without a weight are not there when names are compared.
 */
export const narrow = (text: string): string =>
  NOT_ASCII.test(text) ? text.replace(WEIGHTLESS, '').replace(NOT_ASCII_EACH, plain) : text;
const NOT_ASCII = /[^\0-\x7f]/;
const NOT_ASCII_EACH = /[^\0-\x7f]/gu;
const WEIGHTLESS = /\p{Default_Ignorable_Code_Point}/gu;
const PLAIN = /^\w+$/;

function plain(char: string): string {
  const form = char.normalize('NFKC');
  return PLAIN.test(form) ? form : char;
}
