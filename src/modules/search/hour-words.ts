import type { Pauses } from '../../deadline';
import { WORD_MARK } from '../../event/mark-words';
import { indexKeyOf } from '../../trail/index-words';

interface Occurrences {
  /** Events that have the word. */
  n: number;
  /** The last of them: a word counts once an event. */
  event: number;
}

/** A word of as many characters as V8 makes a part of the text it is cut from, which then stays in memory as long. */
const PART_CHARS = 13;
const withoutItsText = (word: string): string =>
  word.length < PART_CHARS ? word : Buffer.from(word).toString();
/** Between two looks at the clock. */
const WORDS_AT_A_STRETCH = 1_000;

/** The words of an hour's events and how many events have each, which PostgreSQL takes several times as long for. */
export class HourWords {
  readonly #words = new Map<string, Occurrences>();
  #events = 0;

  /** @param max more words are not taken in */
  constructor(private readonly max: number) {}

  /** @param searchTexts of the next events: in each, between two marks stands a word */
  async addAll(searchTexts: readonly string[], pauses: Pick<Pauses, 'take'>): Promise<void> {
    for (const text of searchTexts) {
      const event = this.#events++;
      let seen = 0;
      for (let open = text.indexOf(WORD_MARK); open >= 0; ) {
        const close = text.indexOf(WORD_MARK, open + 1);
        if (close > open + 1) this.#add(indexKeyOf(text.slice(open + 1, close)), event);
        if (this.isFull || close < 0) break;
        if (++seen % WORDS_AT_A_STRETCH === 0) await pauses.take();
        open = text.indexOf(WORD_MARK, close + 1);
      }
      if (this.isFull) return;
      await pauses.take();
    }
  }

  #add(key: string, event: number): void {
    const known = this.#words.get(key);
    if (known === undefined) this.#words.set(withoutItsText(key), { n: 1, event });
    else if (known.event !== event) {
      known.n++;
      known.event = event;
    }
  }

  get events(): number {
    return this.#events;
  }

  /** Whether it has more words than it takes. */
  get isFull(): boolean {
    return this.#words.size > this.max;
  }

  /** Distinct words so far. */
  get size(): number {
    return this.#words.size;
  }

  /** Words that one event has. */
  singles(): string[] {
    return [...this.#words].filter(([, { n }]) => n === 1).map(([word]) => word);
  }

  /** Words that several events have, with their number. */
  several(): { word: string; n: number }[] {
    return [...this.#words].filter(([, { n }]) => n > 1).map(([word, { n }]) => ({ word, n }));
  }
}
