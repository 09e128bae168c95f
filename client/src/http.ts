import { type ApiError, ConnectionError, CursorOfEarlierLogError, errorOf } from './errors.js';

export interface ClientOptions {
  /** `https://audit.example.com`, with a path if a proxy serves the service under a path. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Further attempts after a failure that may pass: 408, 409, 429, 5xx, a lost connection. Default 5. */
  readonly retries?: number;
  /** The time for one attempt until its answer is there; for an export, until it begins. Default 60,000. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly retries?: number;
}

/** The result wanted from an answer, and how it is read. */
interface Wanted<T> {
  readonly isStream: boolean;
  readonly read: (response: Response) => Promise<T>;
}

type Attempted<T> =
  | { readonly value: T; readonly failure?: undefined }
  | { readonly value?: undefined; readonly failure: ApiError | ConnectionError };

const BASE_PATH = '/api/v1/public';
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [500, 8_000];
const MAY_PASS = new Set([408, 409, 429]);

/** Calls of the API, which are tried again where that may help. */
export class Http {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** The whole answer. @throws ApiError, ConnectionError */
  json<T>(path: string, query: Query, options?: CallOptions): Promise<T> {
    return this.#get(path, query, { isStream: false, read: (response) => response.json() }, options);
  }

  /** The answer once it has begun; the caller reads it to its end. @throws ApiError, ConnectionError */
  stream(path: string, query: Query, options?: CallOptions): Promise<Response> {
    return this.#get(path, query, { isStream: true, read: async (response) => response }, options);
  }

  async #get<T>(
    path: string,
    query: Query,
    wanted: Wanted<T>,
    { signal, retries }: CallOptions = {},
  ): Promise<T> {
    const most = retries ?? this.#options.retries ?? 5;
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      const { value, failure } = await this.#attempt(path, query, wanted, signal);
      if (!failure) return value;
      if (attempt >= most || !mayPass(failure)) throw failure;
      await pause(waitMs(failure, attempt), signal);
    }
  }

  async #attempt<T>(
    path: string,
    query: Query,
    { isStream, read }: Wanted<T>,
    signal?: AbortSignal,
  ): Promise<Attempted<T>> {
    const { baseUrl, apiKey, timeoutMs = 60_000, fetch: send = globalThis.fetch } = this.#options;
    const url = new URL(`${baseUrl.replace(/\/+$/, '')}${BASE_PATH}${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const ended = new AbortController();
    const end = () => ended.abort(signal?.reason);
    signal?.addEventListener('abort', end);
    const timer = setTimeout(() => ended.abort(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
    let goesOn = false;
    try {
      const response = await send(url, { headers: { 'X-Api-Key': apiKey }, signal: ended.signal });
      goesOn = isStream && response.ok;
      return response.ok ? { value: await read(response) } : { failure: await errorOf(response) };
    } catch (cause) {
      signal?.throwIfAborted();
      const text = 'the service could not be reached, or its answer broke off';
      return { failure: new ConnectionError(text, { cause }) };
    } finally {
      clearTimeout(timer);
      // A stream has no time limit, and only the caller ends it.
      if (!goesOn) signal?.removeEventListener('abort', end);
    }
  }
}

const mayPass = (failure: ApiError | ConnectionError) =>
  failure instanceof ConnectionError ||
  (MAY_PASS.has(failure.status) && !(failure instanceof CursorOfEarlierLogError)) ||
  failure.status >= 500;

/** The wait that the service asks for, or else twice the wait before, with jitter. */
function waitMs(failure: ApiError | ConnectionError, attempt: number): number {
  const told = failure instanceof ConnectionError ? null : failure.retryAfterSeconds;
  if (told !== null) return told * 1_000;
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  return longest / 2 + Math.random() * (longest / 2);
}

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
