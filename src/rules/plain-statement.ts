import { executedForms, mayCall, readCalls } from '../tsql/calls';
import { NOTHING, type Reading } from '../tsql/found';
import { normalForm, withoutTexts } from '../tsql/normal-form';
import { serversIn } from '../tsql/servers';
import type { DetectionEvent, Value } from './event';

/** What is known of an event's statement. Each part is made once, because several rules and views ask for it. */
interface Known {
  form?: string;
  reading?: Reading;
  forms?: readonly string[];
  code?: readonly string[];
}
const known = new WeakMap<DetectionEvent, Known>();

function knownOf(event: DetectionEvent): Known {
  const found = known.get(event);
  if (found) return found;
  const made: Known = {};
  known.set(event, made);
  return made;
}

/** The normal form of an event's statement. */
export function plainStatementOf(event: DetectionEvent): string {
  const of = knownOf(event);
  of.form ??= normalForm(event.fields.statement ?? '');
  return of.form;
}

/** The event asked about last, if it calls nothing: one condition after the other asks about an event. */
let silent: DetectionEvent | null = null;

/** What the statement calls and executes. */
export function readingOf(event: DetectionEvent): Reading {
  if (event === silent) return NOTHING;
  const { statement } = event.fields;
  // Most statements call nothing, and what is known of them need not be kept.
  if (!statement || !mayCall(statement)) {
    silent = event;
    return NOTHING;
  }
  const of = knownOf(event);
  of.reading ??= readCalls(statement);
  return of.reading;
}

/** The statement as it is written, and the texts that it executes and that do not stand in it as they are. */
export function textsOf(event: DetectionEvent): Value | readonly string[] {
  const { statement } = event.fields;
  const { executed } = readingOf(event);
  if (!statement || executed.length === 0) return statement;
  const made = executed.filter((text) => !stands(text, statement));
  return made.length === 0 ? statement : [statement, ...made];
}

const HEAD_CHARS = 32;

/** Whether a text stands in a statement. Unlike `includes`, it takes linear time where texts repeat themselves. */
function stands(text: string, statement: string): boolean {
  const from = statement.indexOf(text.slice(0, HEAD_CHARS));
  if (from < 0 || text.length <= HEAD_CHARS) return from >= 0;
  /** By the number of characters that fit: how many still fit where the next one does not (Knuth, Morris and Pratt). */
  const fallbacks = new Uint32Array(text.length + 1);
  const fitting = (fits: number, code: number) => {
    let left = fits;
    while (left > 0 && text.charCodeAt(left) !== code) left = fallbacks[left] as number;
    return text.charCodeAt(left) === code ? left + 1 : 0;
  };
  for (let at = 1, fits = 0; at < text.length; at++) {
    fits = fitting(fits, text.charCodeAt(at));
    fallbacks[at + 1] = fits;
  }
  for (let at = from, fits = 0; at < statement.length; at++) {
    fits = fitting(fits, statement.charCodeAt(at));
    if (fits === text.length) return true;
  }
  return false;
}

/** The normal forms of the statement and of the texts that it executes. */
export function plainStatementsOf(event: DetectionEvent): readonly string[] {
  const of = knownOf(event);
  of.forms ??= [plainStatementOf(event), ...executedForms(readingOf(event))];
  return of.forms;
}

/** The same forms without what their texts say. */
export function plainCodeOf(event: DetectionEvent): readonly string[] {
  const of = knownOf(event);
  of.code ??= plainStatementsOf(event).map(withoutTexts);
  return of.code;
}

const RAW_PART = String.raw`(?:(?:\[[^\]]{1,200}\]|"[^"]{1,200}"|[\w@#$]{1,200})\s*)?`;
/** A statement without comments in which no such dots follow each other has no name of four parts. */
const MAY_BE_REMOTE = new RegExp(String.raw`--|/\*|\]\]|\.\s*${RAW_PART}\.\s*${RAW_PART}\.`);
const mayBeRemote = (text: string): boolean => {
  const second = text.indexOf('.', text.indexOf('.') + 1);
  return second > 0 && text.indexOf('.', second + 1) > 0 && MAY_BE_REMOTE.test(text);
};

/** The servers that names of four parts name, also in texts that the statement executes. */
export function serversOf(event: DetectionEvent): readonly string[] {
  const texts = [event.fields.statement ?? '', ...readingOf(event).executed].filter(mayBeRemote);
  return texts.length === 0 ? NONE : [...new Set(texts.flatMap(serversIn))];
}
const NONE: readonly string[] = [];
