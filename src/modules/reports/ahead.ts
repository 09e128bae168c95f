/**
 * The items of a source. The next one is asked for while the caller works on one. More of them at once would outlive a
 * collection of the young heap, and be copied.
 */
export async function* ahead<T>(items: AsyncIterable<T>): AsyncGenerator<T, void> {
  const source = items[Symbol.asyncIterator]();
  const ask = () => {
    const item = source.next();
    // A failure is heard when the caller asks for the item.
    item.catch(() => {});
    return item;
  };
  let next = ask();
  try {
    for (let item = await next; !item.done; item = await next) {
      next = ask();
      yield item.value;
    }
  } finally {
    // A caller that breaks off waits for what was asked for.
    await Promise.allSettled([next]);
    await source.return?.();
  }
}
