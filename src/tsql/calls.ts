import {
  type Argument,
  argumentsAt,
  argumentText,
  assigned,
  inOrder,
  KEYWORDS,
  markAt,
  meaningful,
  nameOf,
  numberText,
  parametersGiven,
  pathAt,
  quoted,
  variablesIn,
  wordAt,
} from './call-parts';
import { Expressions, type Variables, type Work } from './expression';
import { filledAt } from './filled';
import { Found, NOTHING, type Reading, SYSTEM_NAME } from './found';
import { gatheredIn, listedTexts, statementsIn } from './lists';
import { narrow, normalForm } from './normal-form';
import { executedPlaces, namesIn, optionsOf, parametersOf, partedNames } from './procedures';
import { REMOTE, remoteText } from './servers';
import type { Token } from './tokens';
import { binaryValue, madeText, TEXT_MAX, textValue, UNKNOWN, type Value } from './value';

/** Whether a statement may call something, or name a file by a variable. */
export const mayCall = (sql: string): boolean => CALLS.test(sql) || (sql.includes('@') && FILES.test(sql));
// Without the flag `i`, which makes them several times as slow.
const CALLS = /[eE][xX][eE][cC]|[sSxX][pP]_|[oO][pP][eE][nN][qQrR]|[\uff00-\uffef]/;
const FILES = /[bB][aA][cC][kK][uU][pP]|[rR][eE][sS][tT][oO][rR][eE]|_[fF][iI][lL][eE]|_[gG][eE][tT][tT]/;
/** The most texts of a variable among which names of procedures are looked for, and the longest. */
const TEXTS_MAX = 10;
const NAME_CHARS_MAX = 128;
const DEPTH_MAX = 12;
/** The calls together have at most so many characters of values that do not stand in them as they are. */
const CALL_CHARS_MAX = 1_000_000;
/** Characters that go through functions. */
const WORK_MAX = 2_000_000;

/** Finds the calls of a statement, those of texts that it executes too. It takes linear time and never throws. */
export function readCalls(sql: string): Reading {
  return mayCall(sql) ? new CallReader().read(sql) : NOTHING;
}

class CallReader {
  readonly #found = new Found();
  /** Texts that stand in what variables get. */
  readonly #texts = new Map<string, string[]>();
  #hasLoop = false;
  readonly #work: Work = { left: WORK_MAX };
  #callChars = 0;
  /** The texts that a statement lists, by its tokens. */
  readonly #listed = new WeakMap<readonly Token[], readonly string[]>();
  /** The tokens of statements whose texts have been executed. */
  readonly #held = new WeakSet<readonly Token[]>();
  /** The system procedures that the texts of a statement name, by its tokens. */
  readonly #named = new WeakMap<readonly Token[], readonly string[]>();

  read(sql: string): Reading {
    this.#statement(sql, new Map(), 0);
    return this.#found.reading();
  }

  #statement(sql: string, variables: Variables, depth: number): void {
    const tokens = meaningful(sql);
    const expressions = new Expressions(sql, tokens, variables, this.#work);
    /** The kind of statement that gives values to variables, and the variable that is declared. */
    let [assigning, declared] = ['', ''];
    for (let at = 0; at < tokens.length; ) {
      const { kind, text } = tokens[at] as Token;
      const word = kind === 'word' ? text.toLowerCase() : '';
      if (word === 'exec' || word === 'execute') {
        assigning = '';
        at = this.#execution(tokens, at + 1, expressions, variables, depth);
      } else if (REMOTE.includes(word) && markAt(tokens, at + 1) === '(') {
        this.#execute(textValue(remoteText(tokens, at + 2)), new Map(), depth);
        at += 2;
      } else if (kind === 'mark' && text === '{') {
        const call = escapedCallAt(tokens, at);
        at = call > 0 ? this.#call(tokens, call, expressions, variables, depth) : at + 1;
      } else if (at === 0 && isCallable(tokens)) {
        at = this.#call(tokens, at, expressions, variables, depth);
      } else if (word !== '') {
        this.#hasLoop ||= word === 'while';
        this.#fill(tokens, at, variables);
        if (ASSIGNING.includes(word)) assigning = word;
        // DECLARE @a AS int = 1
        else if (KEYWORDS.has(word) && !(word === 'as' && assigning === 'declare')) assigning = '';
        at += 1;
      } else if (assigning !== '' && kind === 'variable') {
        declared = narrow(text).toLowerCase();
        const next = markAt(tokens, at + 1);
        at += 1;
        if (assigning !== 'declare' && ['=', ...ADDING].includes(next))
          at = this.#assigned(tokens, expressions, variables, {
            name: declared,
            from: at + 1,
            isAdded: ADDING.includes(next),
            by: assigning,
          });
      } else if (assigning === 'declare' && kind === 'mark' && text === '=' && declared !== '') {
        at = this.#assigned(tokens, expressions, variables, {
          name: declared,
          from: at + 1,
          isAdded: false,
          by: assigning,
        });
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
    const value = filledIn(expressions.read(at + 1), tokens, expressions);
    this.#execute(value, new Map(), depth);
    if (value.text === UNKNOWN.text) this.#executeHeld(tokens, depth);
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
    const [path, behindName] = pathAt(tokens, from, variables);
    const isEscaped = wordAt(tokens, from - 1) === 'call' && markAt(tokens, behindName) === '(';
    const behind = isEscaped ? behindName + 1 : behindName;
    const others = tokens[from]?.kind === 'variable' ? this.#ofVariable(tokens, from, path, variables) : [];
    if (path === null && others.length === 0) return Math.max(behind, from + 1);
    const [args, end] = argumentsAt(tokens, behind, expressions);
    for (const other of others) this.#note(other, args);
    if (path === null) return Math.max(end, from + 1);
    const name = nameOf(path);
    this.#note(name, args);
    const ordered = inOrder(name, args);
    for (const place of executedPlaces(name.toLowerCase())) {
      const given = args[place];
      const text = ordered?.[place] ?? (given && isNamed(name, given) ? undefined : given);
      if (text && text.value.text !== UNKNOWN.text) this.#executeCalled(text.value, args, variables, depth);
      else if (text) {
        this.#found.mark(text.value);
        this.#executeHeld(tokens, depth);
      }
    }
    return Math.max(end, from + 1);
  }

  /** The variables that a text declares. */
  #declaredIn(text: string): readonly string[] {
    this.#work.left -= text.length;
    if (this.#work.left >= 0) return variablesIn(text);
    this.#found.isTooMuch();
    return [];
  }

  /** Executes a text by a procedure, whose output parameters give variables of the caller their values. */
  #executeCalled(text: Value, args: readonly Argument[], variables: Variables, depth: number): void {
    const { values, outputs } = parametersGiven(args, (text) => this.#declaredIn(text));
    this.#execute(text, values, depth, outputs.length > 0);
    for (const [own, outer] of outputs) {
      const value = values.get(own);
      if (value) variables.set(outer, value);
    }
  }

  /** Notes a statement or function that names a file by a variable. */
  #fill(tokens: readonly Token[], at: number, variables: Variables): void {
    const text = filledAt(tokens, at, variables);
    if (text !== null && !this.#found.hasExecuted(text)) this.#found.executes(text);
  }

  /** Notes how the name of a procedure was made, and where it is. @returns what else the variable may name */
  #ofVariable(
    tokens: readonly Token[],
    from: number,
    path: readonly string[] | null,
    variables: Variables,
  ): readonly string[] {
    const value = variables.get(narrow((tokens[from] as Token).text).toLowerCase());
    if (value) this.#found.mark(value);
    if (path?.length === REMOTE_PARTS && value) {
      const call = `EXEC ${value.text}`;
      if (!this.#found.hasExecuted(call)) this.#found.executes(call);
    }
    return this.#othersOf(tokens, from, path);
  }

  /** What comes from a table may be any statement that the texts beside it say. */
  #executeHeld(tokens: readonly Token[], depth: number): void {
    if (this.#held.has(tokens)) return;
    this.#held.add(tokens);
    for (const text of statementsIn(tokens)) this.#execute(textValue(text), new Map(), depth);
  }

  /** System procedures that a variable may name beside the one that it seems to name: `IIF(@a=1,'xp_cmdshell','x')`. */
  #othersOf(tokens: readonly Token[], from: number, known: readonly string[] | null): readonly string[] {
    const { text } = tokens[from] as Token;
    const texts = this.#texts.get(narrow(text).toLowerCase()) ?? [];
    const names = namesIn(texts);
    // A cursor or a list of objects gives it its value.
    if (known === null) names.push(...this.#namedIn(tokens));
    return [...new Set(names)].slice(0, TEXTS_MAX).filter((name) => known === null || name !== nameOf(known));
  }

  #namedIn(tokens: readonly Token[]): readonly string[] {
    const known = this.#named.get(tokens);
    if (known) return known;
    const texts = tokens.flatMap(({ kind, text }) => {
      if (text.length > NAME_CHARS_MAX) return [];
      return kind === 'text' ? [text] : kind === 'binary' ? [binaryValue(text.slice(2)).text] : [];
    });
    const names = [...namesIn(texts), ...partedNames(texts)];
    this.#named.set(tokens, names);
    return names;
  }

  /** Gives a variable its value. @returns the place behind it */
  #assigned(
    tokens: readonly Token[],
    expressions: Expressions,
    variables: Variables,
    { name, from, isAdded, by }: { name: string; from: number; isAdded: boolean; by: string },
  ): number {
    const before = variables.get(name);
    const end = assigned(expressions, variables, name, from, isAdded);
    const value = variables.get(name);
    const order = value && !value.isKnown ? gatheredIn(tokens, { name, from, end, isAdded, by }) : null;
    const listed = order === null ? [] : this.#listedIn(tokens);
    // A row adds to the text once, and so does each time of a loop.
    const isRepeated = this.#hasLoop && isAdded && value && (!value.isKnown || value.chars > 0);
    if (value && ((order !== null && by === 'select') || isRepeated))
      variables.set(name, { ...value, chars: value.chars * 2 });
    if (value && listed.length > 0) {
      const text = (order === 'backward' ? listed.toReversed() : listed).join('');
      variables.set(name, {
        ...madeText((before?.isKnown ? before.text : '') + text, [value], 'list'),
        chars: value.chars * 2,
      });
    }
    const texts = this.#texts.get(name) ?? [];
    for (let at = from; at < Math.min(end, tokens.length) && texts.length < TEXTS_MAX; at++) {
      const { kind, text } = tokens[at] as Token;
      if (kind === 'text' && text.length <= NAME_CHARS_MAX) texts.push(text);
      // What a variable is made of may be a part of another one's value.
      else if (kind === 'variable') texts.push(...(this.#texts.get(narrow(text).toLowerCase()) ?? []));
    }
    this.#texts.set(name, texts.slice(0, TEXTS_MAX));
    return end;
  }

  #listedIn(tokens: readonly Token[]): readonly string[] {
    const texts = this.#listed.get(tokens) ?? listedTexts(tokens);
    this.#listed.set(tokens, texts);
    this.#work.left -= texts.reduce((sum, { length }) => sum + length + 1, 0);
    return this.#work.left < 0 ? [] : texts;
  }

  #note(name: string, args: readonly Argument[]): void {
    if (!this.#found.takesCallOf(name)) return;
    const ordered = inOrder(name, args);
    const textOf = (one: Argument) => {
      const text = argumentText(one, CALL_CHARS_MAX - this.#callChars);
      this.#callChars += text.length;
      return text;
    };
    const written = ordered
      ? ordered.map((one) => (one ? textOf(one) : 'DEFAULT'))
      : args.map((one) => `${one.name === null ? '' : `${one.name}=`}${textOf(one)}`);
    if (name.toLowerCase() !== 'sp_configure') {
      this.#found.call(name, written.join(','));
      return;
    }
    const [option, value] = ordered ?? [];
    const { isKnown, text } = option?.value ?? UNKNOWN;
    const isName = isKnown && text.length <= NAME_CHARS_MAX;
    const names = isName ? optionsOf(text).map(quoted) : [written[0] ?? ''];
    const number = value?.value.isKnown ? numberText(value.value) : written[1];
    for (const one of names)
      this.#found.call(name, [one, number].filter((part) => part !== undefined).join(','));
  }

  /** @param isAsked whether the values of its variables are wanted */
  #execute(value: Value, variables: Variables, depth: number, isAsked = false): void {
    this.#found.mark(value);
    const { text } = value;
    if (text === UNKNOWN.text || text === '') return;
    // A text without values of its own says the same whenever it is executed.
    if (variables.size === 0 && !isAsked && this.#found.hasExecuted(text)) return;
    if (!this.#found.executes(text) || !(isAsked || mayCall(text))) return;
    if (depth < DEPTH_MAX) this.#statement(text, variables, depth + 1);
    else this.#found.isTooMuch();
  }
}

/** The first statement of a batch may call a procedure without EXEC. */
const isCallable = (tokens: readonly Token[]): boolean => {
  const [path] = pathAt(tokens, 0, new Map());
  return path !== null && SYSTEM_NAME.test(path.at(-1) ?? '');
};

/** Whether an argument has the name of another parameter than its place says. */
const isNamed = (procedure: string, { name }: Argument) =>
  name !== null && parametersOf(procedure.toLowerCase())?.includes(name.slice(1)) === true;

/** The place of the procedure of `{call p}` or `{? = call p}`; 0: it is none. */
function escapedCallAt(tokens: readonly Token[], at: number): number {
  if (wordAt(tokens, at + 1) === 'call') return at + 2;
  return markAt(tokens, at + 2) === '=' && wordAt(tokens, at + 3) === 'call' ? at + 4 : 0;
}

/** `EXEC('p ?',1) AT L`: the values that stand behind a text take the places of its question marks. */
function filledIn(text: Value, tokens: readonly Token[], expressions: Expressions): Value {
  const given: string[] = [];
  while (markAt(tokens, expressions.at) === ',' && given.length < GIVEN_MAX) {
    const { isKnown, number, text: own } = expressions.read(expressions.at + 1);
    given.push(isKnown && number === null ? quoted(own) : own);
  }
  if (given.length === 0) return text;
  const [first = '', ...others] = text.text.split('?', given.length + 1);
  const parts = [first];
  let behind = first.length;
  for (const [i, part] of others.entries()) {
    parts.push(given[i] as string, part);
    behind += part.length + 1;
  }
  return { ...text, text: (parts.join('') + text.text.slice(behind)).slice(0, TEXT_MAX) };
}
const GIVEN_MAX = 100;

/** A procedure of another server has so many parts in its name. */
const REMOTE_PARTS = 4;
const ADDING = ['+=', '||='];
const ASSIGNING = ['declare', 'set', 'select'];
/** The normal forms of the texts that a statement executes. */
export const executedForms = ({ executed }: Reading): readonly string[] => executed.map(normalForm);
