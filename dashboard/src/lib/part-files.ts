const RETRY_MS = 1_000;

/** A part of the page could not be fetched. */
export class PartMissing extends Error {
  override readonly name = 'PartMissing';
  /** @param forget has the part be asked for again when it is next drawn */
  constructor(
    readonly forget: () => void,
    options: ErrorOptions,
  ) {
    super('A part of this page could not be fetched.', options);
  }
}

/** The files of each part, as the build states them in the page. */
export const partsIn = (stated: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    stated.split(' ').map((part) => {
      const [name = '', files = ''] = part.split('=');
      return [name, files.split(',').filter((url) => url !== '')];
    }),
  );

/**
 * The files of the parts that the page loads after its first view. They are fetched into the browser's cache before
 * anything imports them: browsers remember a failed import, and fail all later ones of that file without a request.
 */
export class PartFiles {
  readonly #fetched = new Map<string, Promise<void>>();

  /**
   * @param files of each part
   * @param fetchFile rejects unless the file has arrived completely
   * @param wait resolves after so many milliseconds
   */
  constructor(
    private readonly files: ReadonlyMap<string, readonly string[]>,
    private readonly fetchFile: (url: string) => Promise<void>,
    private readonly wait: (ms: number) => Promise<void>,
  ) {}

  /** Fetches the files of a part that have not been fetched, each a second time where the first one fails. */
  async fetch(part: string): Promise<void> {
    await this.#fetchEach(this.files.get(part) ?? []);
  }

  /** Does so for all parts. */
  async fetchAll(): Promise<void> {
    await this.#fetchEach([...this.files.values()].flat());
  }

  async #fetchEach(urls: readonly string[]): Promise<void> {
    await Promise.all(urls.map((url) => this.#fetchOnce(url)));
  }

  #fetchOnce(url: string): Promise<void> {
    const known = this.#fetched.get(url);
    if (known) return known;
    const fetched = this.#fetchTwice(url).catch((cause) => {
      this.#fetched.delete(url);
      throw cause;
    });
    this.#fetched.set(url, fetched);
    return fetched;
  }

  #fetchTwice(url: string): Promise<void> {
    return this.fetchFile(url).catch(async () => {
      await this.wait(RETRY_MS);
      return this.fetchFile(url);
    });
  }
}

/** Reads a file to its end, since only then does it stay in the browser's cache. */
export async function fetchFile(url: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} was answered by ${response.status}`);
  await response.arrayBuffer();
}
