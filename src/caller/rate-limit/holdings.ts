/** What callers hold at the same time, such as places or bytes: bounded for each caller and for all together. */
export class Holdings {
  readonly #of = new Map<string, number>();
  #all = 0;

  constructor(private readonly max: { readonly each: number; readonly all: number }) {}

  get all(): number {
    return this.#all;
  }

  /** @returns false where it would be more than a bound: nothing is taken then */
  take(holder: string, amount: number): boolean {
    const held = (this.#of.get(holder) ?? 0) + amount;
    if (held > this.max.each || this.#all + amount > this.max.all) return false;
    this.#of.set(holder, held);
    this.#all += amount;
    return true;
  }

  give(holder: string, amount: number): void {
    const held = (this.#of.get(holder) ?? 0) - amount;
    if (held > 0) this.#of.set(holder, held);
    else this.#of.delete(holder);
    this.#all -= amount;
  }
}
