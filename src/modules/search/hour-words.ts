import { WORD_MARK } from '../../event/search-terms';
import { indexKeyOf } from '../../trail/index-words';

interface Occurrences {
  /** Events that have the word. */
  n: number;
  /** The last of them: a word counts once an event. */
  event: number;
}

/** The words of an hour's events and how many events have each, which PostgreSQL takes several times as long for. */
export class HourWords {
  readonly #words = new Map<string, Occurrences>();
  #events = 0;

  /** @param searchText between two marks stands every second piece */
  add(searchText: string): void {
    const event = this.#events++;
    const pieces = searchText.split(WORD_MARK);
    for (let i = 1; i < pieces.length; i += 2) {
      const piece = pieces[i] as string;
      if (piece === '') continue;
      const key = indexKeyOf(piece);
      const known = this.#words.get(key);
      if (known === undefined) this.#words.set(key, { n: 1, event });
      else if (known.event !== event) {
        known.n++;
        known.event = event;
      }
    }
  }

  get events(): number {
    return this.#events;
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
