/** Characters of words by their codes, from 1; 0: no part of a word. Capital letters are as small ones. */
const CLASSES = new Uint8Array(128);
for (const [i, char] of [...'abcdefghijklmnopqrstuvwxyz0123456789_/\\'].entries()) {
  CLASSES[char.charCodeAt(0)] = i + 1;
  CLASSES[char.toUpperCase().charCodeAt(0)] = i + 1;
}
const WIDTH = 40;
const [BACKSLASH, NEW_LINE, RETURN] = [92, 10, 13];
/** Words of which the states would be more are not looked for. A state takes 80 bytes. */
const STATES_MAX = 30_000;
/** Tenants with the same rules have one finder. */
const KEPT_MAX = 8;
const kept = new Map<string, WordFinder>();

/** Finds which of many words stand in a text, each perhaps as a part of a longer word, in one pass (Aho-Corasick). */
export class WordFinder {
  readonly #numbers = new Map<string, number>();
  /** The next state by state and class of character. State 0 is the beginning. */
  readonly #next: Uint16Array;
  /** By state: numbers of the words that end there. */
  readonly #ends: (Uint16Array | undefined)[];

  /** @param words of letters, digits, underscores and slashes */
  static of(words: readonly string[]): WordFinder {
    const sorted = [...new Set(words)].sort();
    const key = sorted.join(' ');
    const known = kept.get(key) ?? new WordFinder(sorted);
    kept.delete(key);
    kept.set(key, known);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    return known;
  }

  private constructor(words: readonly string[]) {
    const chars = words.reduce((sum, { length }) => sum + length, 1);
    const next = new Uint16Array(Math.min(chars, STATES_MAX) * WIDTH);
    const ends: Set<number>[] = [];
    let states = 1;
    for (const word of words) {
      if (states + word.length > STATES_MAX) continue;
      let state = 0;
      for (let i = 0; i < word.length; i++) {
        const at = state * WIDTH + (CLASSES[word.charCodeAt(i)] as number);
        if (next[at] === 0) next[at] = states++;
        state = next[at] as number;
      }
      ends[state] = new Set([this.#numbers.size]);
      this.#numbers.set(word, this.#numbers.size);
    }
    addFallbacks(next, ends);
    this.#next = next.slice(0, states * WIDTH);
    this.#ends = Array.from({ length: states }, (_, state) => ends[state] && Uint16Array.from(ends[state]));
  }

  /** How many words there are. */
  get size(): number {
    return this.#numbers.size;
  }

  /** The number of a word; undefined: it is not looked for. */
  numberOf(word: string): number | undefined {
    return this.#numbers.get(word);
  }

  /**
   * Writes `mark` into `found` at the places that `wanted` has for the words that stand in the text.
   * @param wanted by the number of a word
   * @returns false: the text has characters that are not ASCII, or a line that goes on in the next one
   */
  find(
    text: string,
    wanted: readonly (readonly number[] | undefined)[],
    found: Float64Array,
    mark: number,
  ): boolean {
    const next = this.#next;
    const ends = this.#ends;
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) return false;
      const kind = CLASSES[code] as number;
      if (kind === 0) {
        if ((code === NEW_LINE || code === RETURN) && text.charCodeAt(i - 1) === BACKSLASH) return false;
        state = 0;
        continue;
      }
      state = next[state * WIDTH + kind] as number;
      const words = ends[state];
      if (words)
        for (const word of words) {
          const places = wanted[word];
          if (places) for (const place of places) found[place] = mark;
        }
    }
    return true;
  }
}

/** Lets each state go on where its longest end that begins a word would. */
function addFallbacks(next: Uint16Array, ends: Set<number>[]): void {
  const fallback = new Uint16Array(next.length / WIDTH);
  const queue = [...next.subarray(0, WIDTH)].filter((state) => state !== 0);
  for (const state of queue) {
    const back = fallback[state] as number;
    if (ends[back]) ends[state] = new Set([...(ends[state] ?? []), ...ends[back]]);
    for (let kind = 1; kind < WIDTH; kind++) {
      const at = state * WIDTH + kind;
      const behind = next[back * WIDTH + kind] as number;
      if (next[at] === 0) next[at] = behind;
      else {
        fallback[next[at] as number] = behind;
        queue.push(next[at] as number);
      }
    }
  }
}
