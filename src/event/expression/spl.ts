import { parseNetwork } from '../network';
import type { ExpressionField } from './expression';
import { ALL, one, type Part, type Reading, shortened, Unknown } from './other-reading';

type Token =
  | { readonly kind: 'sign' | 'word' | 'phrase'; readonly text: string }
  | { readonly kind: 'condition'; readonly text: string; readonly sign: string; readonly value: string };

const NEXT =
  /\s*(?:([A-Za-z_]\w*)\s*(!=|<=|>=|=|<|>)\s*(?:"((?:[^"\\]|\\.)*)"|([^\s()|,"]+))|"((?:[^"\\]|\\.)*)"|([()|,])|([^\s()|,"]+))/sy;

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  NEXT.lastIndex = 0;
  while (NEXT.lastIndex < text.trimEnd().length) {
    const start = NEXT.lastIndex;
    const found = NEXT.exec(text);
    if (!found) throw new Unknown(`${shortened(text.slice(start).trim())} is not known.`);
    const [, name, operator = '', quoted, plain, phrase, sign, word] = found;
    if (name !== undefined)
      tokens.push({ kind: 'condition', text: name, sign: operator, value: unescaped(quoted ?? plain ?? '') });
    else if (phrase !== undefined) tokens.push({ kind: 'phrase', text: unescaped(phrase) });
    else tokens.push(sign === undefined ? { kind: 'word', text: word ?? '' } : { kind: 'sign', text: sign });
  }
  return tokens;
}

const unescaped = (text: string): string => text.replace(/\\(["\\])/g, '$1');

/** What SPL asks. @throws Unknown */
export const readSpl = (text: string, reading: Reading): Part =>
  new SplReader(tokensOf(text), reading).read();

/** Fields of Splunk that say where an event is kept, and not what happened. */
const PLACES = /^(?:index|sourcetype|source|splunk_server)$/i;

class SplReader {
  #at = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly reading: Reading,
  ) {}

  read(): Part {
    const parts: Part[] = [];
    if (!this.#takes('|')) parts.push(this.#stage());
    let isOver = false;
    while (this.#takes('|') || this.#at < this.tokens.length) {
      const name = this.#peek()?.text ?? '';
      if (name.toLowerCase() === 'search') {
        if (isOver) throw new Unknown('A “search” after another step is not known.');
        parts.push(this.#stage());
      } else if (/^(?:where|regex|tstats|inputlookup|lookup|join|append)$/i.test(name)) {
        throw new Unknown(`“| ${shortened(name)}” is not known.`);
      } else {
        isOver = true;
        this.reading.leftOut(`“| ${name}”`);
        while (this.#at < this.tokens.length && !this.#is('|')) this.#at++;
      }
    }
    return this.reading.join('and', parts);
  }

  #stage(): Part {
    const first = this.#peek();
    if (first?.kind === 'word' && first.text.toLowerCase() === 'search') this.#at++;
    const part = this.#both();
    const rest = this.#peek();
    if (rest && !this.#is('|')) throw new Unknown(`${shortened(rest.text)} is not known there.`);
    return part;
  }

  /** Unlike here, OR binds before AND. */
  #both(): Part {
    const parts = [this.#either()];
    while (this.#takesWord('AND') || this.#hasAnother()) parts.push(this.#either());
    return this.reading.join('and', parts);
  }

  #either(): Part {
    const parts = [this.#one()];
    while (this.#takesWord('OR')) parts.push(this.#one());
    return this.reading.join('or', parts);
  }

  #hasAnother(): boolean {
    return this.#at < this.tokens.length && !this.#is(')') && !this.#is('|') && !this.#is(',');
  }

  #one(): Part {
    if (this.#takesWord('NOT')) return this.reading.not(() => this.#one());
    if (this.#takes('(')) return this.reading.within(() => this.#group());
    const token = this.tokens[this.#at++];
    if (!token || token.kind === 'sign')
      throw new Unknown(`A condition is missing before ${token?.text ?? 'the end'}.`);
    if (token.kind === 'condition') return this.#condition(token.text, token.sign, token.value);
    const isList = this.#peek()?.text === 'IN' && this.tokens[this.#at + 1]?.text === '(';
    if (token.kind === 'word' && isList) return this.#list(this.#field(token.text));
    return this.#words(token);
  }

  #group(): Part {
    const part = this.#both();
    if (!this.#takes(')')) throw new Unknown('A ) is missing.');
    return part;
  }

  #words({ kind, text }: Token): Part {
    if (text === '') throw new Unknown('An empty text is not known there.');
    if (kind === 'word' && /^(?:and|or|not)$/.test(text))
      throw new Unknown(`“${text}” in lower case is a word in SPL: its operators are in upper case.`);
    if (kind === 'word' && /[=[\]`{}$<>]|::/.test(text))
      throw new Unknown(`${shortened(text)} is not known.`);
    if (kind === 'word' && /^(?:AND|OR)$/.test(text))
      throw new Unknown(`A condition is missing before ${text}.`);
    const [, beginning] = /^([\p{L}\p{N}]+)\*$/u.exec(text) ?? [];
    if (beginning) return one(text);
    if (text.includes('*')) throw new Unknown(`${shortened(text)}: a * is known only at the end of a word.`);
    return one(this.reading.word(text));
  }

  #condition(name: string, sign: string, value: string): Part {
    const { reading } = this;
    if (/^[=~]|[[\]`]/.test(value)) throw new Unknown(`${name}${sign}${shortened(value)} is not known.`);
    if (PLACES.test(name) && sign === '=') return reading.leftOut(`${name}=${value}`);
    if (/^earliest$/i.test(name)) {
      const [, amount, unit] = /^-(\d+)([a-z]+)$/i.exec(value) ?? [];
      if (sign !== '=' || !amount || !unit)
        throw new Unknown(`${name}=${shortened(value)} is not known: choose it as the time range.`);
      return reading.since(amount, unit);
    }
    if (/^latest$/i.test(name) && sign === '=' && /^now(?:\(\))?$/i.test(value)) return ALL;
    const field = this.#field(name);
    if (sign === '=') return this.#equals(field, value);
    if (sign !== '!=') return reading.compared(field, sign, value);
    // In SPL, an event without the field is not found.
    const present = reading.present(field);
    return reading.join('and', [present, reading.not(() => this.#equals(field, value))]);
  }

  #equals(field: ExpressionField, value: string): Part {
    const { reading } = this;
    if (value === '*') return reading.present(field);
    if (field === 'clientIp' && parseNetwork(value)) return one(`clientIp:${value}`);
    const [, before, middle = '', after] = /^(\*?)([^*]*)(\*?)$/.exec(value) ?? [];
    if (middle === '') throw new Unknown(`${shortened(value)}: a * is known only at the ends of a value.`);
    if (before && after) return reading.contains(field, middle, false);
    if (before) throw new Unknown(`${shortened(value)}: the end of a value cannot be searched.`);
    return after ? reading.begins(field, middle, true) : reading.equals(field, middle, true);
  }

  #list(field: ExpressionField): Part {
    this.#at += 2;
    const parts: Part[] = [];
    do {
      const token = this.tokens[this.#at++];
      if (token?.kind !== 'word' && token?.kind !== 'phrase')
        throw new Unknown('A value of a list is missing.');
      parts.push(this.#equals(field, token.text));
    } while (this.#takes(','));
    if (!this.#takes(')')) throw new Unknown('A ) is missing.');
    return this.reading.join('or', parts);
  }

  /** The field that a name of SPL means. */
  #field(name: string): ExpressionField {
    if (/^host$/i.test(name))
      throw new Unknown(
        '“host” is the server in SPL: here serverInstanceName is the server, and hostName the client.',
      );
    return this.reading.field(name);
  }

  #peek(): Token | undefined {
    return this.tokens[this.#at];
  }

  #is(sign: string): boolean {
    const token = this.#peek();
    return token?.kind === 'sign' && token.text === sign;
  }

  #takes(sign: string): boolean {
    if (!this.#is(sign)) return false;
    this.#at++;
    return true;
  }

  #takesWord(word: string): boolean {
    const token = this.#peek();
    if (token?.kind !== 'word' || token.text !== word) return false;
    this.#at++;
    return true;
  }
}
