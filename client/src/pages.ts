/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly meta: { readonly page: number; readonly totalCount: number; readonly hasNextPage: boolean };
}

/** A list, item by item: pages are asked for as they are needed. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #load: (page: number) => Promise<Page<T>>;

  constructor(load: (page: number) => Promise<Page<T>>) {
    this.#load = load;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  /** The same, page by page. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    for (let number = 1; ; number++) {
      const page = await this.#load(number);
      yield page;
      if (!page.meta.hasNextPage) return;
    }
  }
}
