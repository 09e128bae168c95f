import type { FieldSlot } from '../event';
import { fieldSlot, tellsLiterals } from '../field-names';

/** A fault of a rule and its line. */
interface RuleProblem {
  /** The first line is 1. */
  readonly line: number;
  readonly reason: string;
}

const PROBLEMS_MAX = 20;

/** Gathers all faults, so that one import reports every one. */
export class Problems {
  readonly found: RuleProblem[] = [];
  /** Number of states of the regular expressions read so far. */
  states = 0;
  /** Cost of everything read so far, in the unit of `Rule`'s `cost`. */
  cost = 0;
  /** Whether what was read so far looks into what statements say. */
  looksIntoStatements = false;
  /** The line on which the current document first names an EventID that no event has. */
  strangeId: number | null = null;

  get isFull(): boolean {
    return this.found.length >= PROBLEMS_MAX;
  }

  add(line: number, reason: string): null {
    if (this.found.length < PROBLEMS_MAX) this.found.push({ line, reason });
    return null;
  }
}

/** The field that a rule names; null: events have no such field. */
export function fieldIn(name: string, problems: Problems): FieldSlot | null {
  const field = fieldSlot(name);
  if (field && tellsLiterals(field)) problems.looksIntoStatements = true;
  return field;
}

/** The service does not accept this file. */
export class RuleRefused extends Error {
  override readonly name = 'RuleRefused';

  constructor(readonly problems: readonly RuleProblem[]) {
    super(problems.map(({ line, reason }) => `line ${line}: ${reason}`).join('; '));
  }
}

/** Shortens a caller's text for a message. */
export const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
