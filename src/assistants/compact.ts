import { parseTicks } from '../event/event-time';
import { MARK } from '../event/marks';
import { recordIdFloor } from '../event/record-id';
import { LIMITS } from '../limits';

/** What a cell of a table can be. */
export type Cell = string | number | boolean | null;

/** Rows with the fewest words: names of columns once, and a value that all rows share once. */
export interface Table {
  readonly columns: readonly string[];
  /** The columns whose value is the same in all rows. */
  readonly same?: Readonly<Record<string, Cell>>;
  readonly rows: readonly (readonly Cell[])[];
}

/** The first of the rows that an assistant should read at once. */
export function tableOf(columns: readonly string[], all: readonly (readonly Cell[])[]): Table {
  const rows = all.map((row) => row.map((cell) => cut(cell, LIMITS.assistantCellChars)));
  // Values that are cut to the same text differ.
  const isSame = (_: unknown, i: number) => all.length > 1 && all.every((row) => row[i] === all[0]?.[i]);
  const shared = columns.map(isSame);
  const keeps = (_: unknown, i: number) => !shared[i];
  const same = columns.flatMap((name, i) => (shared[i] ? [[name, rows[0]?.[i] ?? null] as const] : []));
  const head = {
    columns: columns.filter(keeps),
    ...(same.length > 0 && { same: Object.fromEntries(same) }),
  };
  let left = LIMITS.assistantTableTokens - tokensOf(JSON.stringify(head));
  const fitting: Cell[][] = [];
  for (const row of rows.map((cells) => cells.filter(keeps))) {
    left -= tokensOf(JSON.stringify(row)) + 1;
    if (left < 0) break;
    fitting.push(row);
  }
  return { ...head, rows: fitting };
}

/** A text cut to so many characters, and not within one of two units; other values as they are. */
export const cut = <T>(value: T, charsMax: number): T | string =>
  typeof value === 'string' && value.length > charsMax
    ? `${value.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, '')}…`
    : value;

/** The same with U+FFFD for each half of a character, which strict readers of JSON refuse with all of the answer. */
export const wellFormed = <T extends object>(value: T): T =>
  JSON.parse(JSON.stringify(value, (_, part) => (typeof part === 'string' ? part.toWellFormed() : part)));

const PARTS = /[A-Za-z]+|\d+|[!-/:-@[-`{-~]+|[^\0-\x7f]|\s+/g;

/**
 * A cautious estimate of the tokens of a text, as models count them: 4 letters, 3 digits or 3 signs, or half of a
 * character that is not ASCII.
 */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (const [part] of text.matchAll(PARTS)) {
    const first = part.charCodeAt(0);
    if (first > 0x7f) tokens += 2;
    else tokens += Math.ceil(part.length / (/[A-Za-z]/.test(part) ? 4 : 3));
  }
  return tokens;
}

/**
 * The beginning of a statement between fences that it does not contain, so that nothing in it looks like a part of the
 * answer around it.
 */
export function fenced(statement: string): string {
  const mark = statement.indexOf(MARK);
  const text = mark < 0 ? statement : statement.slice(0, mark);
  const shown = cut(text, LIMITS.assistantStatementChars);
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}sql\n${shown}\n${fence}`;
}

const TO_MILLISECONDS = '2026-11-19T23:59:56.865'.length;
/** The part of a record id that its milliseconds make. */
const TIME_CHARS = '019638ad-0a46'.length;
const DIGITS = 6;
/** Digits made of the end of a record id: few, and few for a model. */
const digitsOf = (recordId: string): string =>
  String(Number.parseInt(recordId.slice(-5), 16) % 10 ** DIGITS).padStart(DIGITS, '0');

/** An event in a row: its time (UTC) to the millisecond, and digits that tell it from others of that time. */
export const eventName = (eventTime: string, recordId: string): string =>
  `${eventTime.slice(0, TO_MILLISECONDS)}/${digitsOf(recordId)}`;

interface NamedEvent {
  /** The beginning of its record id. */
  readonly begins: string;
  readonly isOf: (recordId: string) => boolean;
}

/** Null: it is no name of an event. */
export function namedEvent(name: string): NamedEvent | null {
  const [, time = '', digits] = /^(\d{4}-.+?)Z?\/(\d{6})$/.exec(name) ?? [];
  const ticks = parseTicks(`${time}Z`);
  if (ticks === null || digits === undefined) return null;
  return {
    begins: recordIdFloor(ticks).slice(0, TIME_CHARS),
    isOf: (recordId) => digitsOf(recordId) === digits,
  };
}
