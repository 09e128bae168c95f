/** A parsed text of a rule: literal pieces, `*` for any text and `?` for one character. */
export type Glob = readonly (string | typeof ANY | typeof ONE)[];
export const ANY = Symbol('*');
const ONE = Symbol('?');

/**
 * `\*`, `\?` and `\\` stand for the characters themselves. A backslash before any other character stands for itself.
 */
export function parseGlob(text: string): Glob {
  const parts: (string | typeof ANY | typeof ONE)[] = [];
  let literal = '';
  const flush = () => {
    if (literal !== '') parts.push(literal);
    literal = '';
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    const next = text[i + 1];
    if (c === '\\' && next !== undefined && '*?\\'.includes(next)) {
      literal += next;
      i += 1;
    } else if (c === '*') {
      flush();
      if (parts.at(-1) !== ANY) parts.push(ANY);
    } else if (c === '?') {
      flush();
      parts.push(ONE);
    } else literal += c;
  }
  flush();
  return parts;
}

const SLOW_RUN_MAX = 250;

/** A run of pieces that contains `?` is tried at each place of a text. A longer run is slower. */
export function isSlow(glob: Glob): boolean {
  let [run, hasOne] = [0, false];
  for (const part of glob) {
    if (part === ANY) [run, hasOne] = [0, false];
    else {
      hasOne ||= part === ONE;
      run += typeof part === 'string' ? part.length : 1;
      if (hasOne && run > SLOW_RUN_MAX) return true;
    }
  }
  return false;
}
export const slowText = (what: string) =>
  `between two * a ${what} with a ? has at most ${SLOW_RUN_MAX} characters`;

type TextTest = (text: string) => boolean;

/** Chooses the fastest test for the pieces. */
export function globTest(glob: Glob): TextTest {
  if (glob.length === 0) return (text) => text === '';
  const [a, b, c] = glob;
  if (glob.length === 1 && typeof a === 'string') return (text) => text === a;
  if (glob.length === 1 && a === ANY) return () => true;
  if (glob.length === 2 && typeof a === 'string' && b === ANY) return (text) => text.startsWith(a);
  if (glob.length === 2 && a === ANY && typeof b === 'string') return (text) => text.endsWith(b);
  if (glob.length === 3 && a === ANY && typeof b === 'string' && c === ANY) return (text) => text.includes(b);
  return slowTest(glob);
}

/** Between two stars, a run of pieces is taken at its first place. The search never goes back behind that place. */
function slowTest(glob: Glob): TextTest {
  const runs: Glob[] = [[]];
  for (const part of glob) {
    if (part === ANY) runs.push([]);
    else (runs.at(-1) as (string | typeof ONE)[]).push(part);
  }
  const [head = [], ...rest] = runs;
  const tail = rest.pop();
  const lengths = new Map(runs.map((run) => [run, lengthOf(run)]));
  return (text) => {
    if (!fits(head, text, 0)) return false;
    let at = lengths.get(head) ?? 0;
    if (!tail) return at === text.length;
    for (const run of rest) {
      const found = find(run, text, at);
      if (found < 0) return false;
      at = found + (lengths.get(run) ?? 0);
    }
    const from = text.length - (lengths.get(tail) ?? 0);
    return from >= at && fits(tail, text, from);
  };
}

const lengthOf = (run: Glob) =>
  run.reduce((sum: number, part) => sum + (typeof part === 'string' ? part.length : 1), 0);

function fits(run: Glob, text: string, from: number): boolean {
  let at = from;
  for (const part of run) {
    if (typeof part === 'string') {
      if (!text.startsWith(part, at)) return false;
      at += part.length;
    } else {
      if (at >= text.length) return false;
      at += 1;
    }
  }
  return true;
}

function find(run: Glob, text: string, from: number): number {
  const last = text.length - lengthOf(run);
  const [first] = run;
  for (let at = from; at <= last; at++) {
    if (typeof first === 'string') {
      at = text.indexOf(first, at);
      if (at < 0 || at > last) return -1;
    }
    if (fits(run, text, at)) return at;
  }
  return -1;
}
