import { executedPlaces } from './procedures';
import { marksOf, SPENT, type Value } from './value';

/** What a statement calls and executes. */
export interface Reading {
  /** The names of the procedures that it calls, without server, database and the schemas `dbo` and `sys`. */
  readonly procedures: readonly string[];
  /**
   * Each call as a name and arguments: `sp_configure 'xp_cmdshell',1`. Arguments of known procedures stand in the
   * order of the procedure, and values that the statement says itself are filled in.
   */
  readonly calls: readonly string[];
  /** The texts that it executes as statements. What is not known of them stands as `@_`. */
  readonly executed: readonly string[];
  /** How texts that it executes were made: names of functions, `hex`, `base64`. */
  readonly madeBy: readonly string[];
}

export const NOTHING: Reading = { procedures: [], calls: [], executed: [], madeBy: [] };

/** The most calls of system procedures and other ones, names of procedures, and texts that are executed. */
const CALLS_MAX = 1_000;
const NAMES_MAX = 10_000;
const EXECUTED_MAX = 250;
/** All texts that are executed together have at most so many characters. */
const EXECUTED_CHARS_MAX = 1_000_000;
export const SYSTEM_NAME = /^[sx]p_/i;

/** Gathers what a reading finds. Of more than a statement needs, it says that it is too much. */
export class Found {
  readonly #calls: string[] = [];
  /** Calls that rules look at. The others, of procedures of the database and of what executes texts, take no room of theirs. */
  #lookedAt = 0;
  readonly #procedures = new Set<string>();
  readonly #executed = new Set<string>();
  readonly #marks = new Set<string>();
  #chars = 0;

  reading(): Reading {
    return {
      procedures: [...this.#procedures],
      calls: this.#calls,
      executed: [...this.#executed],
      madeBy: [...this.#marks],
    };
  }

  /** Notes the name of a procedure. @returns whether there is room for a call of it */
  takesCallOf(name: string): boolean {
    if (this.#procedures.size < NAMES_MAX) this.#procedures.add(name);
    else if (!this.#procedures.has(name)) this.isTooMuch();
    const isLookedAt = SYSTEM_NAME.test(name) && executedPlaces(name.toLowerCase()).length === 0;
    const isFull = (isLookedAt ? this.#lookedAt : this.#calls.length - this.#lookedAt) >= CALLS_MAX;
    if (isFull && isLookedAt) this.isTooMuch();
    if (!isFull && isLookedAt) this.#lookedAt += 1;
    return !isFull;
  }

  call(name: string, args: string): void {
    this.#calls.push(args === '' ? name : `${name} ${args}`);
  }

  mark(value: Value): void {
    for (const mark of marksOf(value)) this.#marks.add(mark);
  }

  hasExecuted(text: string): boolean {
    return this.#executed.has(text);
  }

  /** Notes a text that is executed. @returns whether there was room for it */
  executes(text: string): boolean {
    this.#chars += text.length;
    const hasRoom = this.#executed.size < EXECUTED_MAX && this.#chars <= EXECUTED_CHARS_MAX;
    if (hasRoom) this.#executed.add(text);
    else this.isTooMuch();
    return hasRoom;
  }

  /** What is left of the statement is not known. */
  isTooMuch(): void {
    this.#marks.add(SPENT);
  }
}
