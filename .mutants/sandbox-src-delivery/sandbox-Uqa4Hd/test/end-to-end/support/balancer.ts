const LOOK_MS = 50;

/** A load balancer: sends requests in turn to the instances that say they are ready. */
export class Balancer {
  readonly #ready = new Map<string, boolean>();
  readonly #timer: NodeJS.Timeout;
  #turn = 0;

  constructor() {
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  /** Resolves when the instance is ready for requests. */
  async add(url: string): Promise<void> {
    this.#ready.set(url, false);
    while (!this.#ready.get(url)) await this.#look();
  }

  /** Takes an instance out, which then gets no more requests. */
  remove(url: string): void {
    this.#ready.delete(url);
  }

  /** Asks the next ready instance. A failed request rejects. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const ready = [...this.#ready].filter(([, isReady]) => isReady).map(([url]) => url);
    const url = ready[this.#turn++ % ready.length];
    if (url === undefined) throw new Error('no instance is ready');
    return fetch(url + path, init);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    await Promise.all(
      [...this.#ready.keys()].map(async (url) => {
        const isReady = await fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (this.#ready.has(url)) this.#ready.set(url, isReady);
      }),
    );
  }
}
