import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A form of an attack, or of what looks like one. */
export interface Form {
  readonly class: string;
  /** The numbers of the rules of which one must find it, or that it resembles. */
  readonly rules: readonly number[];
  /** Whether the form is our own, and not one that somebody else reported. */
  readonly isOwn: boolean;
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly text: string;
}

const SECTION = /^=== (.+?) (\{.*\})$/;

/** Reads a file of the folder `corpus`. The beginning of `attacks.txt` tells how it is written. */
export function readForms(file: string): Form[] {
  const lines = readFileSync(path.join(__dirname, '../corpus', file), 'utf8').split('\n');
  let [name, usual]: [string, Record<string, unknown>] = ['', {}];
  return lines.flatMap((line, i) => {
    if (line === '' || line.startsWith('#')) return [];
    const section = SECTION.exec(line);
    if (section) {
      [name, usual] = [section[1] as string, JSON.parse(section[2] as string)];
      return [];
    }
    const [, rules, own, rest] = /^([\d|]+)(\+?) (.*)$/.exec(line) ?? [];
    if (!rules || rest === undefined) throw new Error(`${file}, line ${i + 1} is no form`);
    const [change, text] = split(rest);
    const changes = [JSON.parse(change)].flat();
    const statement = text.replaceAll('⏎', '\n');
    return [
      {
        class: name,
        rules: rules.split('|').map(Number),
        isOwn: own === '+',
        events: changes.map((one) => ({ ...usual, ...(text !== '' && { statement }), ...one })),
        text: rest,
      },
    ];
  });
}

/** The JSON at the beginning of a line, and the rest. */
function split(rest: string): readonly [json: string, text: string] {
  const open = rest[0];
  if (open !== '{' && !rest.startsWith('[{')) return ['{}', rest];
  let [depth, isText] = [0, false];
  for (let at = 0; at < rest.length; at++) {
    const char = rest[at];
    if (char === '\\') at += 1;
    else if (char === '"') isText = !isText;
    else if (!isText && (char === '{' || char === '[')) depth += 1;
    else if (!isText && (char === '}' || char === ']')) depth -= 1;
    if (depth === 0) return [rest.slice(0, at + 1), rest.slice(at + 1).trimStart()];
  }
  return ['{}', rest];
}
