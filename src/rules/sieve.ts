import { mayCall } from '../tsql/calls';
import type { FieldSlot } from './event';
import { isOwn, type Need } from './need';
import { readingOf, serversOf } from './plain-statement';
import type { Seen } from './seen';
import type { WordFinder } from './word-finder';

/**
 * Tells of several conditions which cannot hold for an event, by one look at it. What it lets through may still not
 * hold. It goes by words that stand in the statement as the client sent it. So it lets everything through where the
 * normal form may have a word that does not stand there: letters that are not ASCII, and texts that go on in the next
 * line.
 */
export class Sieve {
  readonly #fields: readonly FieldSlot[];
  /** By the number of a word: the conditions that need it. */
  readonly #byWord: (readonly number[] | undefined)[];
  readonly #byPresence: ReadonlyMap<string, readonly number[]>;
  readonly #isRuled: readonly boolean[];
  /** For each condition the number of the look that found something that it needs. */
  readonly #found: Float64Array;
  #look = 0;
  #letsAll = false;

  /** @param all what each condition needs; null: it is never ruled out */
  constructor(
    all: readonly (readonly Need[] | null)[],
    private readonly finder: WordFinder,
  ) {
    const byWord = new Map<number, number[]>();
    const byPresence = new Map<string, number[]>();
    const fields = new Map<string, FieldSlot>();
    this.#isRuled = all.map((needs, i) => {
      const numbers = needs?.map(({ word }) => (word === '' ? -1 : finder.numberOf(word))) ?? [undefined];
      if (numbers.includes(undefined)) return false;
      for (const [n, { field, word }] of (needs ?? []).entries()) {
        if (word === '') byPresence.set(field.name, [...(byPresence.get(field.name) ?? []), i]);
        else byWord.set(numbers[n] as number, [...(byWord.get(numbers[n] as number) ?? []), i]);
        if (isOwn(field)) fields.set(field.name, field);
      }
      return true;
    });
    this.#byWord = Array.from({ length: finder.size }, (_, number) => byWord.get(number));
    this.#byPresence = byPresence;
    this.#fields = [...fields.values()];
    this.#found = new Float64Array(all.length);
  }

  /** Looks at an event. Afterwards `mayHold` tells of it. */
  look(seen: Seen): void {
    this.#look += 1;
    // So it stays where the event cannot be read.
    this.#letsAll = true;
    this.#letsAll = !this.#read(seen);
  }

  /** Whether a condition may hold, by its place among those that were given. */
  mayHold(condition: number): boolean {
    return this.#letsAll || !this.#isRuled[condition] || this.#found[condition] === this.#look;
  }

  /** @returns false: the words of the event may be others than those that stand in it */
  #read(seen: Seen): boolean {
    const { event } = seen;
    const { statement } = event.fields;
    if (statement && !this.#find(statement)) return false;
    for (const field of this.#fields)
      for (const text of seen.values(field)) if (!this.#find(String(text))) return false;
    if (!statement) return true;
    if (this.#byPresence.has('servers') && serversOf(event).length > 0) this.#present('servers');
    if (!mayCall(statement)) return true;
    const { calls, executed, madeBy } = readingOf(event);
    if (madeBy.length > 0) this.#present('madeBy');
    for (const text of calls) if (!this.#find(text)) return false;
    for (const text of executed) if (!statement.includes(text) && !this.#find(text)) return false;
    return true;
  }

  #find(text: string): boolean {
    return this.finder.find(text, this.#byWord, this.#found, this.#look);
  }

  #present(name: string): void {
    for (const condition of this.#byPresence.get(name) ?? []) this.#found[condition] = this.#look;
  }
}
