import type { Expression, FieldTerm, WordTerm } from './expression';

/** An expression as the filter language writes it. It is parsed to the same conditions. */
export function printed(expression: Expression): string {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return expression.of
        .map((part) => besideOthers(part, printed))
        .join(` ${expression.kind.toUpperCase()} `);
    case 'not':
      return isTerm(expression.of) ? `NOT ${printed(expression.of)}` : `NOT (${printed(expression.of)})`;
    case 'words':
      return printedWords(expression);
    case 'field':
      return `${expression.field}${expression.isFolded ? '~' : ':'}${printedValue(expression)}`;
  }
}

/** An expression as a sentence without its full stop. */
export function inWords(expression: Expression): string {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return expression.of.map((part) => besideOthers(part, inWords)).join(` ${expression.kind} `);
    case 'not':
      return `not (${inWords(expression.of)})`;
    case 'words':
      return wordsInWords(expression);
    case 'field':
      return `${expression.field} ${valueInWords(expression)}${expression.isFolded ? ' in any letter case' : ''}`;
  }
}

const isTerm = ({ kind }: Expression) => kind === 'field' || kind === 'words';

/** A part that others stand beside. */
const besideOthers = (part: Expression, text: (part: Expression) => string): string =>
  isTerm(part) || part.kind === 'not' ? text(part) : `(${text(part)})`;

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

function printedValue({ how, text }: FieldTerm): string {
  switch (how) {
    case 'present':
      return '*';
    case 'begins':
      return `${quoted(text)}*`;
    case 'between':
      return text.includes(' TO ') ? `(${text})` : text;
    case 'within':
      return text;
    case 'equals':
    case 'holds':
      return quoted(text);
  }
}

function printedWords({ term: { kind, text } }: WordTerm): string {
  if (kind === 'phrase') return quoted(text);
  return kind === 'prefix' ? `${text}*` : text;
}

function valueInWords({ how, text, bounds }: FieldTerm): string {
  switch (how) {
    case 'present':
      return 'has a value';
    case 'begins':
      return `begins with ${quoted(text)}`;
    case 'between':
      if (bounds?.from == null) return bounds?.to == null ? 'is a number' : `is at most ${bounds.to}`;
      return bounds.to === null ? `is at least ${bounds.from}` : `is from ${bounds.from} to ${bounds.to}`;
    case 'within':
      return `is an address of the network ${text}`;
    case 'equals':
      return `is ${quoted(text)}`;
    case 'holds':
      return `contains ${quoted(text)}`;
  }
}

function wordsInWords({ term: { kind, text } }: WordTerm): string {
  if (kind === 'phrase') return `a field contains ${quoted(text)} in any letter case`;
  return kind === 'prefix'
    ? `a field has a word that begins with ${quoted(text)}`
    : `a field has the word ${quoted(text)}`;
}
