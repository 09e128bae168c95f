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
  const made = executed.filter((text) => !statement.includes(text));
  return made.length === 0 ? statement : [statement, ...made];
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

const RAW_PART = String.raw`(?:\[[^\]]{1,200}\]|"[^"]{1,200}"|[\w@#$]{1,200})?`;
/** A statement without comments in which no such dots follow each other has no name of four parts. */
const MAY_BE_REMOTE = new RegExp(String.raw`--|/\*|\]\]|\.\s*${RAW_PART}\s*\.\s*${RAW_PART}\s*\.`);
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
