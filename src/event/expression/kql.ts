import { isNumberField } from '../fields';
import { type Part, type Reading, shortened, Unknown } from './other-reading';

interface Token {
  readonly kind: 'name' | 'text' | 'sign';
  readonly text: string;
}

const NEXT =
  /\s*(?:@"((?:[^"]|"")*)"|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(!?[A-Za-z_]\w*~?)|(-?\d+(?![\w.])|\d+[a-z]+)|(==|=~|!~|!=|<=|>=|<>|\.\.|[<>()|,]))/sy;

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  NEXT.lastIndex = 0;
  while (NEXT.lastIndex < text.trimEnd().length) {
    const start = NEXT.lastIndex;
    const found = NEXT.exec(text);
    if (!found) throw new Unknown(`${shortened(text.slice(start).trim())} is not known.`);
    const [, verbatim, double, single, name, number, sign] = found;
    const quoted = verbatim?.replaceAll('""', '"') ?? unescaped(double ?? single);
    if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
    else tokens.push({ kind: name === undefined ? 'text' : 'name', text: name ?? number ?? '' });
  }
  return tokens;
}

/** A text with its escapes read. A backslash before another character is one that its author forgot to double. */
function unescaped(text: string | undefined): string | undefined {
  if (text && /(?<!\\)(?:\\\\)*\\[abfnrtuvx0]/.test(text))
    throw new Unknown(
      'A backslash with a letter is a control character in KQL: write two backslashes for one.',
    );
  return text?.replace(/\\(["'\\])/g, '$1');
}

const TIMES = /^(?:timegenerated|timestamp|event_?time|time)$/i;

/** What KQL asks. @throws Unknown */
export const readKql = (text: string, reading: Reading): Part =>
  new KqlReader(tokensOf(text), reading).read();

class KqlReader {
  #at = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly reading: Reading,
  ) {}

  read(): Part {
    const parts: Part[] = [];
    if (this.tokens[0]?.kind === 'name' && this.tokens[1]?.text === '|')
      this.reading.leftOut(`The table ${this.#next().text}`);
    else if (!this.#takes('|')) parts.push(this.#stage(true));
    let isOver = false;
    while (this.#takes('|') || this.#at < this.tokens.length) {
      const name = this.#peek()?.text ?? '';
      if (/^(?:where|filter)$/i.test(name)) {
        if (isOver) throw new Unknown('A “where” after another step is not known.');
        parts.push(this.#stage(false));
      } else {
        isOver = true;
        this.reading.leftOut(`“| ${name}”`);
        while (this.#at < this.tokens.length && this.#peek()?.text !== '|') this.#at++;
      }
    }
    return this.reading.join('and', parts);
  }

  /** @param isFirst whether `where` may be missing */
  #stage(isFirst: boolean): Part {
    if (/^(?:where|filter)$/i.test(this.#peek()?.text ?? '')) this.#at++;
    else if (!isFirst) throw new Unknown('A step is not known.');
    const part = this.#either();
    const rest = this.#peek();
    if (rest && rest.text !== '|') throw new Unknown(`${shortened(rest.text)} is not known there.`);
    return part;
  }

  #either(): Part {
    const parts = [this.#both()];
    while (this.#takesName('or')) parts.push(this.#both());
    return this.reading.join('or', parts);
  }

  #both(): Part {
    const parts = [this.#one()];
    while (this.#takesName('and')) parts.push(this.#one());
    return this.reading.join('and', parts);
  }

  #one(): Part {
    if (this.#takesName('not')) return this.reading.not(() => this.#group());
    if (this.#peek()?.text === '(' && this.#peek()?.kind === 'sign')
      return this.reading.within(() => this.#group());
    return this.#condition();
  }

  #group(): Part {
    this.#expect('(');
    const part = this.#either();
    this.#expect(')');
    return part;
  }

  #condition(): Part {
    const { reading } = this;
    const { kind, text: name } = this.#next();
    if (kind !== 'name') throw new Unknown(`${shortened(name)} is not known there.`);
    if (/^is(?:not)?(?:empty|null)$/i.test(name)) {
      this.#expect('(');
      const field = reading.field(this.#next().text);
      this.#expect(')');
      return /not/i.test(name) ? reading.present(field) : reading.not(() => reading.present(field));
    }
    const operator = this.#next().text;
    if (operator === '(') throw new Unknown(`${shortened(name)}(…) is not known.`);
    if (TIMES.test(name)) return this.#time(operator);
    const field = reading.field(name);
    if (/^!?in~?$/i.test(operator)) {
      const any = () => reading.any(field, this.#list(), operator.endsWith('~'));
      return operator.startsWith('!') ? reading.not(any) : any();
    }
    const value = this.#value();
    switch (operator.toLowerCase()) {
      case '==':
        return value === '' ? reading.not(() => reading.present(field)) : reading.equals(field, value, false);
      case '!=':
      case '<>':
        if (isNumberField(field))
          throw new Unknown('Whether an event without the number is meant is not known.');
        return value === '' ? reading.present(field) : reading.not(() => reading.equals(field, value, false));
      case '=~':
        return reading.equals(field, filled(value), true);
      case '!~':
        return reading.not(() => reading.equals(field, filled(value), true));
      case 'startswith':
        return reading.begins(field, filled(value), true);
      case 'startswith_cs':
        return reading.begins(field, filled(value), false);
      case '!startswith':
        return reading.not(() => reading.begins(field, filled(value), true));
      case 'contains':
        return reading.contains(field, value, false);
      case 'contains_cs':
        return reading.contains(field, value, false, true);
      case '!contains':
        return reading.not(() => reading.contains(field, value, false));
      case 'has':
        return reading.contains(field, value, true);
      case 'has_cs':
        return reading.contains(field, value, true, true);
      case '!has':
        return reading.not(() => reading.contains(field, value, true));
      case '>':
      case '>=':
      case '<':
      case '<=':
        return reading.compared(field, operator, value);
      default:
        throw new Unknown(`“${shortened(operator)}” is not known.`);
    }
  }

  #time(operator: string): Part {
    const isAgo = /^>=?$/.test(operator) && this.#takesName('ago') && this.#takes('(');
    const [, amount, unit] = /^(\d+)([a-z]+)$/.exec(isAgo ? this.#next().text : '') ?? [];
    if (!amount || !unit)
      throw new Unknown('Only a time after ago(…) is known: choose it as the time range.');
    this.#expect(')');
    return this.reading.since(amount, unit);
  }

  #list(): readonly string[] {
    this.#expect('(');
    const values = [filled(this.#value())];
    while (this.#takes(',')) values.push(filled(this.#value()));
    this.#expect(')');
    return values;
  }

  #value(): string {
    const { kind, text } = this.#next();
    if (kind === 'text' || /^(?:true|false)$/i.test(text)) return text;
    throw new Unknown(`${shortened(text)} is not a value.`);
  }

  #peek(): Token | undefined {
    return this.tokens[this.#at];
  }

  #next(): Token {
    const token = this.tokens[this.#at++];
    if (!token) throw new Unknown('The end is missing.');
    return token;
  }

  #takes(sign: string): boolean {
    const token = this.#peek();
    if (token?.kind !== 'sign' || token.text !== sign) return false;
    this.#at++;
    return true;
  }

  #takesName(name: string): boolean {
    const token = this.#peek();
    if (token?.kind !== 'name' || token.text.toLowerCase() !== name) return false;
    this.#at++;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#takes(sign)) throw new Unknown(`A ${sign} is missing.`);
  }
}

function filled(value: string): string {
  if (value === '') throw new Unknown('An empty text is not known there.');
  return value;
}
