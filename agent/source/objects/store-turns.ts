/** Of one store, for all databases together: each request has an answer in memory, and a store slows down who asks more. */
const AT_ONCE_MAX = 16;

interface Store {
  running: number;
  readonly waiting: (() => void)[];
}

/** Lets a number of requests to each store run at a time. Further ones wait in the order of their calls. */
export class StoreTurns {
  private readonly stores = new Map<string, Store>();

  /** @param origin names the store: its scheme, host and port */
  async take<T>(origin: string, request: () => Promise<T>): Promise<T> {
    const store = this.stores.get(origin) ?? { running: 0, waiting: [] };
    this.stores.set(origin, store);
    if (store.running === AT_ONCE_MAX) await new Promise<void>((resolve) => store.waiting.push(resolve));
    else store.running++;
    try {
      return await request();
    } finally {
      const next = store.waiting.shift();
      if (next) next();
      else if (--store.running === 0) this.stores.delete(origin);
    }
  }
}

/** Those of this process. */
export const STORE_TURNS = new StoreTurns();
