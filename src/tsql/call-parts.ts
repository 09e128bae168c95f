import type { Expressions, Variables } from './expression';
import { NormalForm, narrow } from './normal-form';
import { parametersOf } from './procedures';
import { Scanner, type Token } from './tokens';
import { SPENT, TEXT_MAX, UNKNOWN, type Value } from './value';

/** The parts of a call: the name of the procedure, and its arguments. */

export interface Argument {
  readonly name: string | null;
  readonly value: Value;
  readonly tokens: readonly Token[];
  /** Whether the procedure gives its variable a value. */
  readonly isOutput: boolean;
}

/** The tokens that mean something. */
export function meaningful(sql: string): Token[] {
  const scanner = new Scanner(sql);
  const tokens: Token[] = [];
  while (scanner.next())
    if (scanner.kind !== 'space' && scanner.kind !== 'comment') tokens.push(scanner.token);
  return tokens;
}

export const markAt = (tokens: readonly Token[], at: number): string => {
  const token = tokens[at];
  return token?.kind === 'mark' ? token.text : '';
};
export const wordAt = (tokens: readonly Token[], at: number): string => {
  const token = tokens[at];
  return token?.kind === 'word' ? token.text.toLowerCase() : '';
};

/** Words that begin or go on with a statement, and are no argument. */
export const KEYWORDS = new Set(
  (
    'select insert update delete merge exec execute declare set if else while begin end return print raiserror throw ' +
    'grant revoke deny create alter drop truncate backup restore use reconfigure go waitfor dbcc with as at commit ' +
    'rollback save fetch open close deallocate kill shutdown checkpoint bulk from where union order group having try catch'
  ).split(' '),
);

const NO_WORDS: ReadonlySet<string> = new Set();

/**
 * The parts of a name, of which some may be left out, and the place behind it.
 * @param never words without brackets that no name is; null for the parts: it has one of them
 */
export function nameAt(
  tokens: readonly Token[],
  from: number,
  never: ReadonlySet<string> = NO_WORDS,
): readonly [readonly string[] | null, number] {
  const parts: string[] = [];
  let at = from;
  for (let isName = true; at < tokens.length; at++) {
    const { kind, text } = tokens[at] as Token;
    if (kind === 'mark' && text === '.') {
      if (isName) parts.push('');
      isName = true;
    } else if (isName && (kind === 'word' || kind === 'name')) {
      if (kind === 'word' && never.has(text.toLowerCase())) return [null, at];
      parts.push(narrow(text).trimEnd());
      isName = false;
    } else break;
  }
  return [parts, at];
}

/** Four names in brackets. */
const PATH_CHARS_MAX = 1_100;

/** The parts of a procedure's name, and the place behind it. A variable may hold the name. */
export function pathAt(
  tokens: readonly Token[],
  from: number,
  variables: Variables,
): readonly [readonly string[] | null, number] {
  const first = tokens[from];
  if (first?.kind === 'variable') {
    const value = variables.get(narrow(first.text).toLowerCase());
    if (!value?.isKnown || value.text.length > PATH_CHARS_MAX) return [null, from + 1];
    const [path] = pathAt(meaningful(value.text), 0, new Map());
    return [path, from + 1];
  }
  const [parts, behind] = nameAt(tokens, from, KEYWORDS);
  if (parts === null) return [null, behind];
  let at = behind;
  // The number of a procedure of a group.
  if (markAt(tokens, at) === ';' && tokens[at + 1]?.kind === 'number') at += 2;
  return [parts.length > 0 && parts.at(-1) !== '' ? parts : null, at];
}

const OWN_SCHEMAS = ['', 'dbo', 'sys'];
export function nameOf(path: readonly string[]): string {
  const [name = '', schema = ''] = [...path].reverse();
  return OWN_SCHEMAS.includes(schema.toLowerCase()) ? name : `${schema}.${name}`;
}

/** The arguments of a call, and the place behind them. */
export function argumentsAt(
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
    const word = wordAt(tokens, at);
    args.push({ name, value, tokens: tokens.slice(start, at), isOutput: ['out', 'output'].includes(word) });
    if (['out', 'output', 'readonly'].includes(word)) at += 1;
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
export function inOrder(name: string, args: readonly Argument[]): (Argument | undefined)[] | null {
  const parameters = parametersOf(name.toLowerCase());
  if (!parameters) return null;
  const ordered: (Argument | undefined)[] = [];
  for (const [i, one] of args.entries()) {
    const place = one.name === null ? i : parameters.indexOf(one.name.slice(1));
    if (place >= 0) ordered[place] = one;
  }
  return Array.from(ordered);
}

/**
 * The values of a statement's parameters, by which it is called: those with names, and of `sp_executesql` those that
 * stand in the order in which the second argument declares them.
 * @param namesIn the names of the variables of a text
 */
export function parametersGiven(
  args: readonly Argument[],
  namesIn: (text: string) => readonly string[],
): Parameters {
  const { isKnown, text } = args[1]?.value ?? UNKNOWN;
  const isByPlace = args.some((one, i) => i >= 2 && one.name === null);
  const declared = isKnown && isByPlace ? namesIn(text.slice(0, DECLARED_CHARS_MAX)) : [];
  const values: Variables = new Map();
  const outputs: [own: string, outer: string][] = [];
  for (const [i, { name, value, tokens, isOutput }] of args.entries()) {
    const own = name ?? declared[i - 2];
    if (own === undefined) continue;
    if (value.isKnown) values.set(own, value);
    const [outer] = tokens;
    if (isOutput && outer?.kind === 'variable') outputs.push([own, narrow(outer.text).toLowerCase()]);
  }
  return { values, outputs };
}

export interface Parameters {
  readonly values: Variables;
  /** The parameters that give variables of the caller a value, and these variables. */
  readonly outputs: readonly (readonly [own: string, outer: string])[];
}

const DECLARED_CHARS_MAX = 8_000;

/** The names of the variables of a text, in lower case. */
export const variablesIn = (text: string): readonly string[] =>
  meaningful(text).flatMap(({ kind, text: name }) =>
    kind === 'variable' ? [narrow(name).toLowerCase()] : [],
  );

export const quoted = (text: string) => `'${narrow(text).replaceAll("'", "''")}'`;
const NETWORK = /^[\\/]{2}/;
/** @param charsMax a value that is longer stands as it is written */
export function argumentText({ value, tokens }: Argument, charsMax: number): string {
  // Of a network path, the part that is not known may be anything.
  if (!value.isKnown && NETWORK.test(value.text) && value.text.length <= charsMax) return quoted(value.text);
  if (!value.isKnown || value.hex !== null || value.text.length > charsMax) return formOf(tokens);
  return value.number === null ? quoted(value.text) : String(value.number);
}

/** The number that the server makes of a value. */
export function numberText({ text, number, hex }: Value): string {
  if (number !== null) return String(Math.trunc(number));
  if (hex !== null) return String(Number.parseInt(hex || '0', 16));
  return Number.isNaN(Number(text)) ? quoted(text) : String(Math.trunc(Number(text)));
}

/** Gives a variable the value of the expression that begins here. @returns the place behind it */
export function assigned(
  expressions: Expressions,
  variables: Variables,
  name: string,
  from: number,
  isAdded: boolean,
): number {
  const value = expressions.read(from);
  const before = isAdded ? variables.get(name) : undefined;
  variables.set(name, before ? joinedBefore(before, value) : value);
  return Math.max(expressions.at, from);
}

function joinedBefore(before: Value, value: Value): Value {
  const marks = [...new Set([...before.marks, ...value.marks])];
  const chars = before.chars + value.chars;
  if (before.text.length + value.text.length > TEXT_MAX)
    return { ...UNKNOWN, marks: [...marks, SPENT], chars };
  return {
    ...value,
    text: before.text + value.text,
    isKnown: before.isKnown && value.isKnown,
    number: null,
    hex: before.hex !== null && value.hex !== null ? before.hex + value.hex : null,
    marks,
    chars,
  };
}
