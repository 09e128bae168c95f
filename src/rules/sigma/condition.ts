import { allOf, anyOf, type Matcher, not } from '../matcher';
import { type Problems, short } from './problem';

const TOKEN = /\s*([()|]|[^\s()|]+)/gy;
const DEPTH_MAX = 50;
const TOKENS_MAX = 1_000;

/** Compiles a condition over selections: `and`, `or`, `not`, parentheses, `1 of`, `all of`, `them`, patterns. */
export function parseCondition(
  text: string,
  selections: ReadonlyMap<string, Matcher>,
  line: number,
  problems: Problems,
): Matcher | null {
  const tokens = [...text.matchAll(TOKEN)].map(([, token]) => token as string);
  if (tokens.includes('|'))
    return problems.add(line, 'aggregations behind | are not supported: write a correlation');
  if (tokens.length === 0 || tokens.length > TOKENS_MAX)
    return problems.add(line, tokens.length === 0 ? 'the condition is empty' : 'the condition is too long');
  try {
    return new Parser(tokens, selections).parse();
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return problems.add(line, `condition: ${error.message}`);
  }
}

class ConditionError extends Error {}

class Parser {
  #at = 0;
  #depth = 0;

  constructor(
    private readonly tokens: readonly string[],
    private readonly selections: ReadonlyMap<string, Matcher>,
  ) {}

  parse(): Matcher {
    const matcher = this.#or();
    const left = this.tokens[this.#at];
    if (left !== undefined) throw new ConditionError(`${short(left)} is not expected`);
    return matcher;
  }

  #word(): string {
    return this.tokens[this.#at]?.toLowerCase() ?? '';
  }

  #list(word: string, next: () => Matcher, combine: (parts: readonly Matcher[]) => Matcher): Matcher {
    const parts = [next()];
    while (this.#word() === word) {
      this.#at += 1;
      parts.push(next());
    }
    return combine(parts);
  }

  #or(): Matcher {
    return this.#list('or', () => this.#and(), anyOf);
  }

  #and(): Matcher {
    return this.#list('and', () => this.#not(), allOf);
  }

  #not(): Matcher {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw new ConditionError('it is too deep');
    try {
      if (this.#word() !== 'not') return this.#one();
      this.#at += 1;
      return not(this.#not());
    } finally {
      this.#depth -= 1;
    }
  }

  #one(): Matcher {
    const token = this.tokens[this.#at];
    if (token === undefined) throw new ConditionError('it ends too early');
    this.#at += 1;
    if (token === '(') {
      const inner = this.#or();
      if (this.tokens[this.#at] !== ')') throw new ConditionError('a parenthesis is not closed');
      this.#at += 1;
      return inner;
    }
    const isCounted = this.#word() === 'of';
    if (isCounted) {
      this.#at += 1;
      const of = this.tokens[this.#at];
      if (of === undefined) throw new ConditionError('it ends after "of"');
      this.#at += 1;
      const parts = this.#named(of);
      const quantity = token.toLowerCase();
      if (quantity === '1' || quantity === 'any') return anyOf(parts);
      if (quantity === 'all') return allOf(parts);
      throw new ConditionError(`"${short(token)} of" is not supported: 1 of and all of are`);
    }
    const found = this.selections.get(token);
    if (!found) throw new ConditionError(`there is no selection ${short(token)}`);
    return found;
  }

  #named(pattern: string): Matcher[] {
    const all = [...this.selections];
    // `them` leaves out names that begin with an underscore. A pattern may match those.
    const isMeant =
      pattern.toLowerCase() === 'them' && !this.selections.has(pattern)
        ? (name: string) => !name.startsWith('_')
        : (name: string) => wildcard(pattern, name);
    const parts = all.filter(([name]) => isMeant(name)).map(([, matcher]) => matcher);
    if (parts.length === 0) throw new ConditionError(`no selection fits ${short(pattern)}`);
    return parts;
  }
}

function wildcard(pattern: string, name: string): boolean {
  const pieces = pattern.split('*');
  if (pieces.length === 1) return name === pattern;
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at);
    if (found < 0 || found + piece.length > name.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}
