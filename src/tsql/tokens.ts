/**
 * What a piece of T-SQL is. `word` is a keyword or a name without quotes, `name` a name in brackets or double quotes,
 * `text` a string, `binary` a number that begins with 0x, `mark` an operator or another sign. `space` and `comment`
 * mean nothing to the server.
 */
export type TokenKind =
  | 'word'
  | 'name'
  | 'variable'
  | 'text'
  | 'number'
  | 'binary'
  | 'mark'
  | 'space'
  | 'comment';

export interface Token {
  readonly kind: TokenKind;
  /** What the server reads: a text or a name without its quotes, anything else as it is written. */
  readonly text: string;
  /** The index of the first character, and of the character after the last one. */
  readonly start: number;
  readonly end: number;
}

/**
 * Reads one token after the other, without making an object for each. It takes linear time and never throws: a text,
 * name or comment that is not closed goes to the end. The tokens cover the whole statement.
 */
export class Scanner {
  kind: TokenKind = 'space';
  start = 0;
  end = 0;

  constructor(private readonly sql: string) {}

  /** Goes to the next token. @returns false: there is none */
  next(): boolean {
    this.start = this.end;
    if (this.start >= this.sql.length) return false;
    this.end = this.#read(this.start);
    return true;
  }

  /** The token's text as the server reads it. */
  get text(): string {
    const { sql, start, end } = this;
    switch (this.kind) {
      case 'text':
        return quoted(sql, start + (sql[start] === "'" ? 1 : 2), end, "'");
      case 'name':
        return quoted(sql, start + 1, end, sql[start] === '[' ? ']' : '"');
      case 'binary':
        return continued(sql.slice(start, end));
      default:
        return sql.slice(start, end);
    }
  }

  get token(): Token {
    const { kind, text, start, end } = this;
    return { kind, text, start, end };
  }

  #read(at: number): number {
    const { sql } = this;
    const code = sql.charCodeAt(at);
    if (isLetter(code)) {
      if ((code === LARGE_N || code === SMALL_N) && sql.charCodeAt(at + 1) === QUOTE)
        return this.#as('text', endOfQuoted(sql, at + 2, "'"));
      return this.#as('word', endOfWord(sql, at + 1));
    }
    if (isSpace(code)) return this.#as('space', endOfSpace(sql, at + 1));
    switch (code) {
      case QUOTE:
        return this.#as('text', endOfQuoted(sql, at + 1, "'"));
      case DOUBLE_QUOTE:
        return this.#as('name', endOfQuoted(sql, at + 1, '"'));
      case BRACKET:
        return this.#as('name', endOfQuoted(sql, at + 1, ']'));
      case AT:
        return this.#as('variable', endOfWord(sql, at + 1));
      case UNDERSCORE:
      case HASH:
        return this.#as('word', endOfWord(sql, at + 1));
      case MINUS:
        if (sql.charCodeAt(at + 1) === MINUS) return this.#as('comment', endOr(sql, sql.indexOf('\n', at)));
        break;
      case SLASH:
        if (sql.charCodeAt(at + 1) === STAR) return this.#as('comment', endOfComment(sql, at));
        break;
    }
    if (isDigit(code) || (code === DOT && isDigit(sql.charCodeAt(at + 1)))) {
      const isBinary = code === ZERO && (sql.charCodeAt(at + 1) | CASE) === SMALL_X;
      return isBinary
        ? this.#as('binary', endOf(BINARY, sql, at))
        : this.#as('number', endOf(NUMBER, sql, at));
    }
    if (isAlone(code)) return this.#as('mark', at + 1);
    // The server has no words that begin with a dollar sign but $action and its like.
    if (code === DOLLAR && isLetter(sql.charCodeAt(at + 1))) return this.#as('word', endOfWord(sql, at + 1));
    if (CURRENCIES.includes(sql[at] as string)) return this.#as('number', endOf(MONEY, sql, at));
    if (code > ASCII_MAX && endOf(WORD_BEGIN, sql, at) > at) return this.#as('word', endOfWord(sql, at));
    return this.#as('mark', endOf(MARK, sql, at));
  }

  #as(kind: TokenKind, end: number): number {
    this.kind = kind;
    return end;
  }
}

/** All tokens of a statement, those that mean nothing too. */
export function tokensOf(sql: string): Token[] {
  const scanner = new Scanner(sql);
  const tokens: Token[] = [];
  while (scanner.next()) tokens.push(scanner.token);
  return tokens;
}

const [QUOTE, DOUBLE_QUOTE, BRACKET, AT, UNDERSCORE, HASH, DOLLAR] = [39, 34, 91, 64, 95, 35, 36];
const [OPEN, CLOSE, COMMA, SEMICOLON] = [40, 41, 44, 59];
const [MINUS, SLASH, STAR, DOT, ZERO, SMALL_X, LARGE_N, SMALL_N] = [45, 47, 42, 46, 48, 120, 78, 110];
/** The bit by which small ASCII letters differ from capital ones. */
const CASE = 0x20;
const ASCII_MAX = 0x7f;

const isDigit = (code: number) => code >= ZERO && code <= 57;
const isLetter = (code: number) => {
  const small = code | CASE;
  return code <= ASCII_MAX && small >= 97 && small <= 122;
};
/** Marks that are no part of a longer one, and are the most common: `( ) , . ;` */
const isAlone = (code: number) =>
  code === COMMA || code === DOT || code === OPEN || code === CLOSE || code === SEMICOLON;
/** Every control character counts as a space. */
const isSpace = (code: number) =>
  code <= 32 || (code > ASCII_MAX && OTHER_SPACE.test(String.fromCharCode(code)));
const OTHER_SPACE = /[\x80-\xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]/;

const WORD_BEGIN = /[\p{L}\p{Nl}\p{Pc}]/uy;
const WORD_REST = /[\p{L}\p{N}\p{M}\p{Pc}@#$]*/uy;
/** 1e and 1e+ are numbers too. */
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d*)?/iy;
const BINARY = /0x(?:[0-9a-f]|\\\r?\n)*/iy;
/** An amount of money. A sign alone is 0. */
const CURRENCIES = '$¢£¤¥৲৳฿៛₠₡₢₣₤₥₦₧₨₩₪₫€₭₮₯₰₱﷼﹩＄￠￡￥￦';
const MONEY = /.(?:\d+\.?\d*|\.\d+)?/y;
const MARK = /[-+*/%&|^<>!=]=|<>|!<|!>|::|\|\|=?|[\s\S]/uy;

function endOf(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(sql) ? pattern.lastIndex : at;
}

function endOfWord(sql: string, from: number): number {
  let at = from;
  for (; at < sql.length; at++) {
    const code = sql.charCodeAt(at);
    if (code > ASCII_MAX) return endOf(WORD_REST, sql, at);
    const isPart = isLetter(code) || isDigit(code) || code === UNDERSCORE || code === AT;
    if (!isPart && code !== HASH && code !== DOLLAR) return at;
  }
  return at;
}

function endOfSpace(sql: string, from: number): number {
  let at = from;
  while (at < sql.length && isSpace(sql.charCodeAt(at))) at += 1;
  return at;
}

const endOr = (sql: string, found: number) => (found < 0 ? sql.length : found);

/** Inside a quoted piece, a doubled closing character stands for itself. @param from the index behind the first quote */
export function endOfQuoted(sql: string, from: number, close: string): number {
  let end = sql.indexOf(close, from);
  while (end >= 0 && sql[end + 1] === close) end = sql.indexOf(close, end + 2);
  return end < 0 ? sql.length : end + 1;
}

const COMMENT_MARK = /\/\*|\*\//g;

/** Comments may be nested. */
function endOfComment(sql: string, at: number): number {
  let depth = 0;
  COMMENT_MARK.lastIndex = at;
  for (let mark = COMMENT_MARK.exec(sql); mark; mark = COMMENT_MARK.exec(sql)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return COMMENT_MARK.lastIndex;
  }
  return sql.length;
}

/** What stands between quotes. @param from the index after the first quote */
function quoted(sql: string, from: number, end: number, close: string): string {
  const isClosed = end > from && sql[end - 1] === close && !isHalf(sql, from, end, close);
  const inner = sql.slice(from, isClosed ? end - 1 : end);
  const once = inner.includes(close) ? inner.replaceAll(close + close, close) : inner;
  return close === "'" ? continued(once) : once;
}

/** Whether the quote at the end of a piece that is not closed is half of a doubled one. */
function isHalf(sql: string, from: number, end: number, close: string): boolean {
  let at = end;
  while (at > from && sql[at - 1] === close) at -= 1;
  return (end - at) % 2 === 0;
}

/** A backslash at the end of a line lets a text or binary number go on in the next one. */
const continued = (text: string) => (text.includes('\\') ? text.replace(/\\\r?\n/g, '') : text);
