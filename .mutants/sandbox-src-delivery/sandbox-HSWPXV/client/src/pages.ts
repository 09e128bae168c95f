/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly meta: { readonly page: number; readonly totalCount: number; readonly hasNextPage: boolean };
}

/** Whether an item comes after the last one in the order of the list. */
export type Follows<T> = (one: T, last: T) => boolean;

/** A list, item by item. It requests pages when they are needed. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #load: (page: number) => Promise<Page<T>>;
  readonly #follows: Follows<T> | undefined;

  constructor(load: (page: number) => Promise<Page<T>>, follows?: Follows<T>) {
    this.#load = load;
    this.#follows = follows;
  }

  /** If the order shows that an item was given already and has moved to a further page, the item is left out. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let last: T | undefined;
    for await (const { data } of this.pages())
      for (const one of data) {
        if (last !== undefined && this.#follows && !this.#follows(one, last)) continue;
        yield one;
        last = one;
      }
  }

  /** The pages as the service returns them. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    for (let number = 1; ; number++) {
      const page = await this.#load(number);
      yield page;
      if (!page.meta.hasNextPage) return;
    }
  }
}
