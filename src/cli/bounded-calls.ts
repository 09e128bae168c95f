import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { API_BASE_PATH } from '../version';
import { CommandError } from './service-client';

/** The bounds of a verifier's calls. A service that is hostile or damaged cannot make it wait or hold more. */
export const CALL_BOUNDS = {
  answerMs: 60_000, // for an answer to its end; for an export, until it begins
  answerBytes: 16 * 1024 * 1024, // the largest honest answer has a tenth
  triesMax: 10, // of a call that is refused for a while, by the rate limit or because the database is away
  retryAfterSecondsMax: 60, // the service asks for at most so long
  paceMs: 120_000, // an export brings `paceBytes` in each such time: a busy service lets it wait 20 s for a turn
  paceBytes: 64 * 1024,
  lineBytes: 32 * 1024 * 1024, // of an export: the largest event has 8 MiB, and more with its escapes
  furtherLines: 100_000, // more than twice as many events as were counted, of those that arrive meanwhile
  allMs: 24 * 3_600_000, // for everything that is fetched
};

const NEWLINE = 0x0a;

/** Calls of the public API, each bounded in time and bytes. */
export class BoundedCalls {
  readonly #end = AbortSignal.timeout(CALL_BOUNDS.allMs);

  constructor(
    private readonly url: string,
    private readonly apiKey: string,
  ) {}

  /** @returns `data` of the answer @throws CommandError */
  async data(path: string, query: Query): Promise<unknown> {
    return this.#get(path, query, async ({ body }, signal) => {
      const parts: Uint8Array[] = [];
      let bytes = 0;
      const timer = AbortSignal.any([signal, AbortSignal.timeout(CALL_BOUNDS.answerMs)]);
      for await (const chunk of chunksOf(body, timer)) {
        bytes += chunk.length;
        if (bytes > CALL_BOUNDS.answerBytes)
          throw unlike(path, `it has more than ${CALL_BOUNDS.answerBytes} bytes`);
        parts.push(chunk);
      }
      const answer = objectOf(Buffer.concat(parts).toString('utf8'));
      if (answer?.data === undefined) throw unlike(path, 'it has no data');
      return answer.data;
    });
  }

  /**
   * Writes an answer of lines to a file.
   * @param mostLines the most lines that are written, by the answer's headers
   * @throws CommandError
   */
  save(path: string, query: Query, file: string, mostLines: (headers: Headers) => number): Promise<Headers> {
    return this.#get(path, query, async ({ body, headers }, signal) => {
      const pace = new AbortController();
      const lines = paced(
        path,
        chunksOf(body, AbortSignal.any([signal, pace.signal])),
        pace,
        mostLines(headers),
      );
      await pipeline(lines, createWriteStream(file));
      return headers;
    });
  }

  async #get<T>(
    path: string,
    query: Query,
    read: (response: Response, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const end = this.#end;
    for (let tries = 1; ; tries++) {
      const stop = new AbortController();
      const signal = AbortSignal.any([stop.signal, end]);
      try {
        const response = await this.#fetch(
          `${API_BASE_PATH}${path}?${new URLSearchParams(pairs)}`,
          stop,
          signal,
        );
        if (response.ok) return await read(response, signal);
        const retryAfter = Number(response.headers.get('Retry-After') ?? 0);
        if (!(retryAfter > 0) || tries === CALL_BOUNDS.triesMax) throw await refusalOf(response, path);
        await setTimeout(1000 * Math.min(retryAfter, CALL_BOUNDS.retryAfterSecondsMax));
      } catch (error) {
        if (error instanceof CommandError && !end.aborted) throw error;
        if (end.aborted)
          throw unlike(path, `after ${CALL_BOUNDS.allMs / 3_600_000} hours the log is not fetched`);
        throw new CommandError(`${path}: The answer broke off: ${(error as Error).message}`);
      } finally {
        // The rest of an answer that is not read to its end would be held.
        stop.abort();
      }
    }
  }

  async #fetch(path: string, stop: AbortController, signal: AbortSignal): Promise<Response> {
    const timer = globalThis.setTimeout(
      () => stop.abort(new Error('no answer in time')),
      CALL_BOUNDS.answerMs,
    );
    try {
      return await fetch(this.url + path, { headers: { 'X-Api-Key': this.apiKey }, signal });
    } catch (error) {
      const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
      throw new CommandError(
        `No service answers at ${this.url}: ${cause?.message || cause?.code || (error as Error).message}`,
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

type Query = Readonly<Record<string, string | number>>;

/** An answer that no Audit Activity service gives. */
export const unlike = (path: string, why: string): CommandError =>
  new CommandError(`${path}: the answer is not as an Audit Activity service gives it: ${why}.`);

async function* chunksOf(body: Response['body'], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (!reader) return;
  const end = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', end);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', end);
    await reader.cancel().catch(() => {});
  }
}

/** Passes an export on. @throws CommandError if it is slow, has too many lines, or has one that is too long */
async function* paced(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  pace: AbortController,
  linesMax: number,
): AsyncGenerator<Uint8Array> {
  const { paceMs, paceBytes, lineBytes } = CALL_BOUNDS;
  let [bytes, lines, line] = [0, 0, 0];
  const timer = setInterval(() => {
    if (bytes < paceBytes)
      pace.abort(unlike(path, `it brought ${bytes} bytes in ${paceMs / 1000} seconds, and did not end`));
    bytes = 0;
  }, paceMs);
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
      const last = chunk.lastIndexOf(NEWLINE);
      line = last < 0 ? line + chunk.length : chunk.length - last - 1;
      if (lines > linesMax) throw unlike(path, `it has more than ${linesMax} lines`);
      if (line > lineBytes) throw unlike(path, `a line has more than ${lineBytes} bytes`);
      yield chunk;
    }
  } finally {
    clearInterval(timer);
  }
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

async function refusalOf(response: Response, path: string): Promise<CommandError> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(response.body, AbortSignal.timeout(CALL_BOUNDS.answerMs))) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes > CALL_BOUNDS.answerBytes) break;
  }
  const error = objectOf(Buffer.concat(parts).toString('utf8'))?.error as
    | { code?: unknown; message?: unknown }
    | undefined;
  const { code = response.statusText, message = 'not as an Audit Activity service' } = error ?? {};
  return new CommandError(`${path}: ${plain(code)}: ${plain(message)}`, plain(code));
}

const TEXT_CHARS_MAX = 1_000;
/** A text of the service, without characters that a terminal obeys. */
const plain = (text: unknown): string => String(text).slice(0, TEXT_CHARS_MAX).replace(/\p{C}/gu, ' ');
