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

/**
 * The files of the parts that the page loads after its first view. They are fetched into the browser's cache before
 * anything imports them: browsers remember a failed import, and fail all later ones of that file without a request.
 */
export class PartFiles {
  #fetched: Promise<unknown> | null = null;

  /**
   * @param fetchFile rejects unless the file has arrived completely
   * @param wait resolves after so many milliseconds
   */
  constructor(
    private readonly urls: readonly string[],
    private readonly fetchFile: (url: string) => Promise<void>,
    private readonly wait: (ms: number) => Promise<void>,
  ) {}

  /** Fetches the files that have not been fetched, each a second time where the first one fails. */
  async fetch(): Promise<void> {
    this.#fetched ??= Promise.all(this.urls.map((url) => this.#fetchTwice(url))).catch((cause) => {
      this.#fetched = null;
      throw cause;
    });
    await this.#fetched;
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
