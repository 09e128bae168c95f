/** A stream of reproducible random numbers: the same seeds give the same stream on every machine (mulberry32). */
export class Random {
  #state: number;

  constructor(...seeds: readonly number[]) {
    this.#state = seeds.reduce((state, seed) => Math.imul(state ^ seed, 0x9e3779b1) ^ (state >>> 15), 0x5eed);
  }

  /** A number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
}

/** Picks indexes by weight. */
export class Weighted {
  readonly #ends: Float64Array;

  constructor(weights: readonly number[]) {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let sum = 0;
    this.#ends = Float64Array.from(weights, (weight) => {
      sum += weight / total;
      return sum;
    });
  }

  /** The k-th item is 1/k^exponent as frequent as the first. */
  static skewed(count: number, exponent: number): Weighted {
    return new Weighted(Array.from({ length: count }, (_, k) => 1 / (k + 1) ** exponent));
  }

  pick(random: Random): number {
    return this.at(random.next());
  }

  /** The index whose share of [0, 1) contains the quantile. */
  at(quantile: number): number {
    let [low, high] = [0, this.#ends.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] ?? 1) > quantile) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** How far into the share of `index` the quantile lies, from 0 up to, not including, 1. */
  within(index: number, quantile: number): number {
    const start = index === 0 ? 0 : (this.#ends[index - 1] ?? 0);
    const share = (this.#ends[index] ?? 1) - start;
    return Math.min(0.999_999_999, Math.max(0, (quantile - start) / share));
  }
}
