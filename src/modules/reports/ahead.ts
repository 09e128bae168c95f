/** The items of a source. The next one is asked for while the caller works on one. */
export async function* ahead<T>(items: AsyncIterable<T>): AsyncGenerator<T, void> {
  const source = items[Symbol.asyncIterator]();
  let next = source.next();
  try {
    for (let item = await next; !item.done; item = await next) {
      next = source.next();
      // A failure is heard when the caller asks for the item.
      next.catch(() => {});
      yield item.value;
    }
  } finally {
    // A caller that breaks off waits for what was asked for.
    await next.catch(() => {});
    await source.return?.();
  }
}
