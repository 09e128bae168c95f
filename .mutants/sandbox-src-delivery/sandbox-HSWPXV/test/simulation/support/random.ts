/** Random choices that a seed repeats. */
export class Random {
  constructor(private state: number) {}

  /** A number from 0 up to, not including, 1. */
  unit(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.unit() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.unit() * list.length)] as T;
  }

  /** The value of one maker, which is chosen by its weight. */
  weighted<T>(choices: readonly (readonly [weight: number, make: () => T])[]): T {
    let rest = this.unit() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, make] of choices) {
      rest -= weight;
      if (rest < 0) return make();
    }
    throw new Error('nothing to choose from');
  }

  guid(): string {
    const hex = Array.from({ length: 32 }, () => this.whole(0, 15).toString(16)).join('');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  /** An independent source of choices: neither source affects the choices of the other. */
  fork(): Random {
    return new Random(this.whole(0, 2 ** 32 - 1));
  }
}
