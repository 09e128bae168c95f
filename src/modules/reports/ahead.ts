/** So many items are asked for before the caller wants them. More would outlive a collection of the young heap, and be copied. */
const AHEAD = 1;

/** The items of a source. The next ones are asked for while the caller works on one. */
export async function* ahead<T>(items: AsyncIterable<T>, most = AHEAD): AsyncGenerator<T, void> {
  const source = items[Symbol.asyncIterator]();
  const asked: Promise<IteratorResult<T>>[] = [];
  const ask = () => {
    const next = source.next();
    // A failure is heard when the caller asks for the item.
    next.catch(() => {});
    asked.push(next);
  };
  try {
    for (ask(); ; ) {
      const item = await asked.shift();
      if (!item || item.done) return;
      while (asked.length < most) ask();
      yield item.value;
    }
  } finally {
    // A caller that breaks off waits for what was asked for.
    await Promise.allSettled(asked);
    await source.return?.();
  }
}
