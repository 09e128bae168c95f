import { executedForms, NOTHING, type Reading, readCalls } from '../tsql/calls';
import { normalForm } from '../tsql/normal-form';
import type { DetectionEvent } from './event';

/** What is known of an event's statement. Each part is made once, because several rules and views ask for it. */
interface Known {
  form?: string;
  reading?: Reading;
  forms?: readonly string[];
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

/** What the statement calls and executes. */
export function readingOf(event: DetectionEvent): Reading {
  const { statement } = event.fields;
  if (!statement) return NOTHING;
  const of = knownOf(event);
  of.reading ??= readCalls(statement);
  return of.reading;
}

/** The normal forms of the statement and of the texts that it executes. */
export function plainStatementsOf(event: DetectionEvent): readonly string[] {
  const of = knownOf(event);
  of.forms ??= [plainStatementOf(event), ...executedForms(readingOf(event))];
  return of.forms;
}
