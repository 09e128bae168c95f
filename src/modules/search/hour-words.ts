import type { Pauses } from '../../deadline';
import { WORD_MARK } from '../../event/mark-words';
import { indexKeyOf } from '../../store/words/index-words';

interface Occurrences {
  /** The number of events that have the word. */
  n: number;
  /** The last event with the word, since a word counts once for each event. */
  event: number;
}

/** From this length on, V8 keeps a cut word as a part of its text, and so keeps the whole text in memory. */
const PART_CHARS = 13;
const withoutItsText = (word: string): string =>
  word.length < PART_CHARS ? word : Buffer.from(word).toString();
/** The number of words between two looks at the clock. */
const WORDS_AT_A_STRETCH = 1_000;

function* markedWords(text: string): Iterable<string> {
  for (let open = text.indexOf(WORD_MARK); open >= 0; ) {
    const close = text.indexOf(WORD_MARK, open + 1);
    if (close < 0) return;
    if (close > open + 1) yield text.slice(open + 1, close);
    open = text.indexOf(WORD_MARK, close + 1);
  }
}

function* asciiWords(text: string): Iterable<string> {
  for (const [word] of text.matchAll(ASCII_WORD)) yield word;
}
const ASCII_WORD = /[a-z0-9]+/g;

/** Counts the words of an hour's events. PostgreSQL would take several times as long. */
export class HourWords {
  readonly #words = new Map<string, Occurrences>();
  #events = 0;

  /** @param max number of distinct words; further ones are not taken in */
  constructor(private readonly max: number) {}

  /** @param searchTexts texts of the next events (`TEXT_OF_WORDS`) */
  async addAll(searchTexts: readonly string[], pauses: Pick<Pauses, 'take'>): Promise<void> {
    for (const text of searchTexts) {
      const event = this.#events++;
      let seen = 0;
      for (const word of text.includes(WORD_MARK) ? markedWords(text) : asciiWords(text)) {
        this.#add(indexKeyOf(word), event);
        if (this.isFull) break;
        if (++seen % WORDS_AT_A_STRETCH === 0) await pauses.take();
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

  /** Whether the hour has more words than the maximum. */
  get isFull(): boolean {
    return this.#words.size > this.max;
  }

  /** The number of distinct words so far. */
  get size(): number {
    return this.#words.size;
  }

  /** The words that only one event has. */
  singles(): string[] {
    return [...this.#words].filter(([, { n }]) => n === 1).map(([word]) => word);
  }

  /** The words that several events have, with the number of events. */
  several(): { word: string; n: number }[] {
    return [...this.#words].filter(([, { n }]) => n > 1).map(([word, { n }]) => ({ word, n }));
  }
}
