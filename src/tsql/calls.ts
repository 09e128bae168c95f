import { Expressions, type Variables } from './expression';
import { NormalForm, narrow, normalForm } from './normal-form';
import { executedPlace, optionsOf, parametersOf } from './procedures';
import { Scanner, type Token } from './tokens';
import { marksOf, UNKNOWN, type Value } from './value';

/** What a statement calls and executes. */
export interface Reading {
  /** The names of the procedures that it calls, without server, database and the schemas `dbo` and `sys`. */
  readonly procedures: readonly string[];
  /**
   * Each call as a name and arguments: `sp_configure 'xp_cmdshell',1`. Arguments of known procedures stand in the
   * order of the procedure, and values that the statement says itself are filled in.
   */
  readonly calls: readonly string[];
  /** The texts that it executes as statements. What is not known of them stands as `@_`. */
  readonly executed: readonly string[];
  /** How texts that it executes were made: names of functions, `hex`, `base64`. */
  readonly madeBy: readonly string[];
}

export const NOTHING: Reading = { procedures: [], calls: [], executed: [], madeBy: [] };

/** Whether a statement may call something. */
export const mayCall = (sql: string): boolean => MAY_CALL.test(sql);
// Without the flag `i`, which makes it several times as slow.
const MAY_CALL = /[eE][xX][eE][cC]|[sSxX][pP]_|[\uff00-\uffef]/;
const CALLS_MAX = 1_000;
const EXECUTED_MAX = 50;
const DEPTH_MAX = 5;
/** All texts that are executed together have at most so many characters. */
const EXECUTED_CHARS_MAX = 1_000_000;

/** Finds the calls of a statement, those of texts that it executes too. It takes linear time and never throws. */
export function readCalls(sql: string): Reading {
  return MAY_CALL.test(sql) ? new CallReader().read(sql) : NOTHING;
}

interface Argument {
  readonly name: string | null;
  readonly value: Value;
  readonly tokens: readonly Token[];
}

class CallReader {
  readonly #calls: string[] = [];
  readonly #procedures = new Set<string>();
  readonly #executed: string[] = [];
  readonly #marks = new Set<string>();
  #chars = 0;

  read(sql: string): Reading {
    this.#statement(sql, new Map(), 0);
    return {
      procedures: [...this.#procedures],
      calls: this.#calls,
      executed: this.#executed,
      madeBy: [...this.#marks],
    };
  }

  #statement(sql: string, variables: Variables, depth: number): void {
    const tokens = meaningful(sql);
    const expressions = new Expressions(tokens, variables);
    /** The kind of statement that gives values to variables, and the variable that is declared. */
    let [assigning, declared] = ['', ''];
    for (let at = 0; at < tokens.length; ) {
      const { kind, text } = tokens[at] as Token;
      const word = kind === 'word' ? text.toLowerCase() : '';
      if (word === 'exec' || word === 'execute') {
        assigning = '';
        at = this.#execution(tokens, at + 1, expressions, variables, depth);
      } else if (at === 0 && isCallable(tokens)) {
        at = this.#call(tokens, at, expressions, variables, depth);
      } else if (word !== '') {
        if (ASSIGNING.includes(word)) assigning = word;
        else if (KEYWORDS.has(word)) assigning = '';
        at += 1;
      } else if (assigning !== '' && kind === 'variable') {
        declared = narrow(text).toLowerCase();
        const next = markAt(tokens, at + 1);
        at += 1;
        if (assigning !== 'declare' && (next === '=' || next === '+='))
          at = assigned(expressions, variables, declared, at + 1, next === '+=', assigning);
      } else if (assigning === 'declare' && kind === 'mark' && text === '=' && declared !== '') {
        at = assigned(expressions, variables, declared, at + 1, false, assigning);
        declared = '';
      } else at += 1;
    }
  }

  /** Reads what stands behind EXEC. @returns the place behind it */
  #execution(
    tokens: readonly Token[],
    from: number,
    expressions: Expressions,
    variables: Variables,
    depth: number,
  ) {
    let at = from;
    if (wordAt(tokens, at) === 'as') return at + 1;
    if (tokens[at]?.kind === 'variable' && markAt(tokens, at + 1) === '=') at += 2;
    if (markAt(tokens, at) !== '(') return this.#call(tokens, at, expressions, variables, depth);
    const value = expressions.read(at + 1);
    this.#execute(value, new Map(), depth);
    return expressions.at;
  }

  /** Reads a procedure and its arguments. @returns the place behind them */
  #call(
    tokens: readonly Token[],
    from: number,
    expressions: Expressions,
    variables: Variables,
    depth: number,
  ) {
    const [path, behind] = pathAt(tokens, from, variables);
    if (path === null) return Math.max(behind, from + 1);
    const [args, end] = argumentsAt(tokens, behind, expressions);
    const name = nameOf(path);
    this.#note(name, args);
    const place = executedPlace(name.toLowerCase());
    const text = place === null ? undefined : (inOrder(name, args)?.[place] ?? args[place]);
    if (text && text.value.text !== UNKNOWN.text) this.#execute(text.value, namedValues(args), depth);
    else if (text) this.#mark(text.value);
    return Math.max(end, from + 1);
  }

  #note(name: string, args: readonly Argument[]): void {
    if (this.#calls.length >= CALLS_MAX) return;
    this.#procedures.add(name);
    const ordered = inOrder(name, args);
    const written = ordered
      ? ordered.map((one) => (one ? argumentText(one) : 'DEFAULT'))
      : args.map((one) => `${one.name === null ? '' : `${one.name}=`}${argumentText(one)}`);
    if (name.toLowerCase() !== 'sp_configure') {
      this.#calls.push(written.length > 0 ? `${name} ${written.join(',')}` : name);
      return;
    }
    const [option, value] = ordered ?? [];
    const names = option?.value.isKnown ? optionsOf(option.value.text).map(quoted) : [written[0] ?? ''];
    const number = value?.value.isKnown ? numberText(value.value) : written[1];
    for (const one of names)
      this.#calls.push([name, [one, number].filter((part) => part !== undefined).join(',')].join(' ').trim());
  }

  #mark(value: Value): void {
    for (const mark of marksOf(value)) this.#marks.add(mark);
  }

  #execute(value: Value, variables: Variables, depth: number): void {
    this.#mark(value);
    const { text } = value;
    this.#chars += text.length;
    if (this.#executed.length >= EXECUTED_MAX || this.#chars > EXECUTED_CHARS_MAX) return;
    if (text === UNKNOWN.text) return;
    this.#executed.push(text);
    if (depth < DEPTH_MAX && MAY_CALL.test(text)) this.#statement(text, variables, depth + 1);
  }
}

function meaningful(sql: string): Token[] {
  const scanner = new Scanner(sql);
  const tokens: Token[] = [];
  while (scanner.next())
    if (scanner.kind !== 'space' && scanner.kind !== 'comment') tokens.push(scanner.token);
  return tokens;
}

const markAt = (tokens: readonly Token[], at: number): string => {
  const token = tokens[at];
  return token?.kind === 'mark' ? token.text : '';
};
const wordAt = (tokens: readonly Token[], at: number): string => {
  const token = tokens[at];
  return token?.kind === 'word' ? token.text.toLowerCase() : '';
};

/** The first statement of a batch may call a procedure without EXEC. */
const SYSTEM_NAME = /^[sx]p_/i;
const isCallable = (tokens: readonly Token[]): boolean => {
  const [path] = pathAt(tokens, 0, new Map());
  return path !== null && SYSTEM_NAME.test(path.at(-1) ?? '');
};

const ASSIGNING = ['declare', 'set', 'select'];
const KEYWORDS = new Set(
  (
    'select insert update delete merge exec execute declare set if else while begin end return print raiserror throw ' +
    'grant revoke deny create alter drop truncate backup restore use reconfigure go waitfor dbcc with as at commit ' +
    'rollback save fetch open close deallocate kill shutdown checkpoint bulk from where union order group having try catch'
  ).split(' '),
);

function assigned(
  expressions: Expressions,
  variables: Variables,
  name: string,
  from: number,
  isAdded: boolean,
  by: string,
): number {
  const value = expressions.read(from);
  const before = isAdded ? variables.get(name) : undefined;
  // SELECT adds once for each row.
  const made = by === 'select' && isAdded ? { ...value, chars: value.chars * 2 } : value;
  variables.set(name, before ? joinedBefore(before, made) : made);
  return Math.max(expressions.at, from);
}

const joinedBefore = (before: Value, value: Value): Value => ({
  ...value,
  text: before.text.length + value.text.length > 65_536 ? UNKNOWN.text : before.text + value.text,
  isKnown: before.isKnown && value.isKnown,
  number: null,
  hex: before.hex !== null && value.hex !== null ? before.hex + value.hex : null,
  marks: [...new Set([...before.marks, ...value.marks])],
  chars: before.chars + value.chars,
});

/** The parts of a procedure's name, and the place behind it. A variable may hold the name. */
function pathAt(
  tokens: readonly Token[],
  from: number,
  variables: Variables,
): readonly [readonly string[] | null, number] {
  const first = tokens[from];
  if (first?.kind === 'variable') {
    const value = variables.get(narrow(first.text).toLowerCase());
    if (!value?.isKnown) return [null, from + 1];
    const [path] = pathAt(meaningful(value.text), 0, new Map());
    return [path, from + 1];
  }
  const parts: string[] = [];
  let at = from;
  for (let isName = true; at < tokens.length; at++) {
    const { kind, text } = tokens[at] as Token;
    if (kind === 'mark' && text === '.') {
      if (isName) parts.push('');
      isName = true;
    } else if (isName && (kind === 'word' || kind === 'name')) {
      if (kind === 'word' && KEYWORDS.has(text.toLowerCase())) return [null, at];
      parts.push(narrow(text).trimEnd());
      isName = false;
    } else break;
  }
  // The number of a procedure of a group.
  if (markAt(tokens, at) === ';' && tokens[at + 1]?.kind === 'number') at += 2;
  return [parts.length > 0 && parts.at(-1) !== '' ? parts : null, at];
}

const OWN_SCHEMAS = ['', 'dbo', 'sys'];
function nameOf(path: readonly string[]): string {
  const [name = '', schema = ''] = [...path].reverse();
  return OWN_SCHEMAS.includes(schema.toLowerCase()) ? name : `${schema}.${name}`;
}

/** The arguments of a call, and the place behind them. */
function argumentsAt(
  tokens: readonly Token[],
  from: number,
  expressions: Expressions,
): readonly [Argument[], number] {
  const args: Argument[] = [];
  let at = from;
  while (at < tokens.length) {
    const isNamed = tokens[at]?.kind === 'variable' && markAt(tokens, at + 1) === '=';
    const name = isNamed ? narrow((tokens[at] as Token).text).toLowerCase() : null;
    const start = isNamed ? at + 2 : at;
    const token = tokens[start];
    if (!token || (token.kind === 'word' && KEYWORDS.has(token.text.toLowerCase()))) break;
    if (token.kind === 'mark' && !'+-('.includes(token.text)) break;
    let value = expressions.read(start);
    // A word without quotes is a text.
    if (
      expressions.at === start + 1 &&
      (token.kind === 'word' || token.kind === 'name') &&
      !isConstant(token)
    )
      value = { ...UNKNOWN, text: narrow(token.text), isKnown: true };
    at = Math.max(expressions.at, start + 1);
    args.push({ name, value, tokens: tokens.slice(start, at) });
    if (['out', 'output', 'readonly'].includes(wordAt(tokens, at))) at += 1;
    if (markAt(tokens, at) !== ',') break;
    at += 1;
  }
  return [args, at];
}

const isConstant = ({ kind, text }: Token) => kind === 'word' && /^(?:null|default)$/i.test(text);

/** Tokens as they are written, in the normal form. */
function formOf(tokens: readonly Token[]): string {
  const form = new NormalForm();
  for (const { kind, text } of tokens) form.add(kind, text);
  return form.toString();
}

/** The arguments in the order of the procedure, if its parameters are known and all arguments are among them. */
function inOrder(name: string, args: readonly Argument[]): (Argument | undefined)[] | null {
  const parameters = parametersOf(name.toLowerCase());
  if (!parameters) return null;
  const ordered: (Argument | undefined)[] = [];
  for (const [i, one] of args.entries()) {
    const place = one.name === null ? i : parameters.indexOf(one.name.slice(1));
    if (place >= 0) ordered[place] = one;
  }
  return Array.from(ordered);
}

/** The values of a statement's parameters, by which it is called. */
const namedValues = (args: readonly Argument[]): Variables =>
  new Map(args.flatMap(({ name, value }) => (name !== null && value.isKnown ? [[name, value]] : [])));

const quoted = (text: string) => `'${narrow(text).replaceAll("'", "''")}'`;
function argumentText({ value, tokens }: Argument): string {
  if (!value.isKnown || value.hex !== null) return formOf(tokens);
  return value.number === null ? quoted(value.text) : String(value.number);
}

/** The number that the server makes of a value. */
function numberText({ text, number, hex }: Value): string {
  if (number !== null) return String(Math.trunc(number));
  if (hex !== null) return String(Number.parseInt(hex || '0', 16));
  return Number.isNaN(Number(text)) ? quoted(text) : String(Math.trunc(Number(text)));
}

/** The normal forms of the texts that a statement executes. */
export const executedForms = ({ executed }: Reading): readonly string[] => executed.map(normalForm);
