/** A problem of a filter and its place: the offset in UTF-16 units, from 0. */
export class FilterProblem extends Error {
  override readonly name = 'FilterProblem';

  constructor(
    readonly at: number,
    problem: string,
  ) {
    super(problem);
  }
}

/** Operators are words of their own, in upper case. */
type Operator = 'AND' | 'OR' | 'NOT';
const OPERATOR = /(?:AND|OR|NOT)(?=[\s()"]|$)/y;
/** The word between the ends of a range, with the end that follows. */
const RANGE = /\s+TO\s+(?=[^\s()])(?!(?:AND|OR|NOT)(?=[\s()"]|$))/y;
const COMPARISON = /[<>]=?/y;
const SPACES = /\s*/y;
const VALUE = /[^\s()]+/y;
const WORD = /[^\s()"]+/y;
const ESCAPED = /\\(["\\])/g;
/** A backslash before a quotation mark or another backslash is always matched together with it. */
const QUOTED = /"(?:[^"\\]|\\["\\]|\\(?!["\\]))*"/y;

/** Reads the pieces of a filter one after the other. */
export class Scanner {
  at = 0;

  constructor(readonly text: string) {}

  /** The next character; '' at the end. */
  get next(): string {
    return this.text[this.at] ?? '';
  }

  skipSpaces(): void {
    this.#read(SPACES);
  }

  /** Goes past the next character when it is this one. */
  take(character: string): boolean {
    if (this.next !== character) return false;
    this.at++;
    return true;
  }

  /** The operator that stands next; null: none. It is not passed. */
  operator(): Operator | null {
    OPERATOR.lastIndex = this.at;
    return (OPERATOR.exec(this.text)?.[0] as Operator | undefined) ?? null;
  }

  /** Goes past the operator when it stands next. @returns whether it did */
  takeOperator(wanted: Operator): boolean {
    if (this.operator() !== wanted) return false;
    this.at += wanted.length;
    return true;
  }

  /** The sign of a comparison: `<`, `<=`, `>` or `>=`; '' when none stands next. */
  comparison(): string {
    return this.#read(COMPARISON);
  }

  /** Goes past the word between two ends of a range, when another end follows. @returns whether it did */
  takeRange(): boolean {
    return this.#read(RANGE) !== '';
  }

  /** The text up to a space or a parenthesis; '' when one stands next. */
  value(): string {
    return this.#read(VALUE);
  }

  /** The text up to a space, a parenthesis or a quotation mark. */
  word(): string {
    return this.#read(WORD);
  }

  /** The text between quotation marks, the first of which stands next. @throws FilterProblem */
  quoted(): string {
    const start = this.at;
    const found = this.#read(QUOTED);
    if (found === '') throw new FilterProblem(start, 'expected a closing quotation mark');
    const text = found.slice(1, -1).replace(ESCAPED, '$1');
    if (text === '') throw new FilterProblem(start, 'expected text between the quotation marks');
    return text;
  }

  /** Whether a value or word ends here. */
  get isAtBorder(): boolean {
    return this.next === '' || /[\s()]/.test(this.next);
  }

  #read(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [found = ''] = pattern.exec(this.text) ?? [];
    this.at += found.length;
    return found;
  }
}
