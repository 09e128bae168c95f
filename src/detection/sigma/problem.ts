/** What is wrong with a rule, and where. */
interface RuleProblem {
  /** 1-based. */
  readonly line: number;
  readonly reason: string;
}

const PROBLEMS_MAX = 20;

/** Gathers what is wrong, so that one import tells of everything. */
export class Problems {
  readonly found: RuleProblem[] = [];
  /** States of the regular expressions so far. */
  states = 0;
  /** Of all that was read so far, as of `Rule`. */
  cost = 0;
  /** Where the document that is being read first names an EventID that no event has. */
  strangeId: number | null = null;

  get isFull(): boolean {
    return this.found.length >= PROBLEMS_MAX;
  }

  add(line: number, reason: string): null {
    if (this.found.length < PROBLEMS_MAX) this.found.push({ line, reason });
    return null;
  }
}

/** A file that is not taken. */
export class RuleRefused extends Error {
  override readonly name = 'RuleRefused';

  constructor(readonly problems: readonly RuleProblem[]) {
    super(problems.map(({ line, reason }) => `line ${line}: ${reason}`).join('; '));
  }
}

/** A text of a caller in a message. */
export const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
