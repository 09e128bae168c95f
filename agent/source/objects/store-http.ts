import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { grownMs } from '../../../src/rests';
import type { Clock } from '../../clock';
import { isTimeout, withDeadline } from '../../deadline';
import { errorText } from '../../log';
import { Turns } from '../../turns';
import { exchangeWith, type HttpRequest, wholeBody } from '../../uplink/http-exchange';
import type { Traffic } from './object-store';
import { StoreError } from './store-error';

export interface StoreRequest extends HttpRequest {
  readonly url: string;
}
export interface StoreAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface StoreHttpOptions {
  readonly clock: Clock;
  /** Ends every request. */
  readonly stop: AbortSignal;
  readonly timeoutMs: number;
  /** The wait after the first failure; twice as long after the next one. */
  readonly retryMs: number;
}

/** An object of JSON in the body; another body counts as an empty one. */
export function jsonOf({ body }: StoreAnswer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** How often a request is sent at most: a store fails now and then. */
const ATTEMPTS_MAX = 4;
/** Of the text of a refusal, where another answer goes to a file. */
const ERROR_BYTES_MAX = 1024 * 1024;
/** More than a block of an audit file, and than any list. */
const ANSWER_BYTES_MAX = 80 * 1024 * 1024;

/** Of one store, for all databases together: each request has an answer in memory, and a store slows down who asks more. */
const AT_ONCE_MAX = 16;
/** By scheme, host and port. A configuration names few stores. */
const STORES = new Map<string, Turns>();
function turnsOf(url: string): Turns {
  const { origin } = new URL(url);
  const turns = STORES.get(origin) ?? new Turns(AT_ONCE_MAX);
  STORES.set(origin, turns);
  return turns;
}

/** Sends requests to a store, repeats those that failed, and counts all of them. */
export class StoreHttp {
  private readonly sum = { requests: 0, bytes: 0 };

  constructor(private readonly options: StoreHttpOptions) {}

  get traffic(): Traffic {
    return this.sum;
  }

  /**
   * @param make is called for each attempt, since a signature has a time
   * @param path of a file for the body of a 200; the answer has none then
   */
  async send(make: () => StoreRequest | Promise<StoreRequest>, path?: string): Promise<StoreAnswer> {
    const { clock, retryMs, stop } = this.options;
    for (let failures = 1; ; failures++) {
      const answer = await this.attempt(make, path).catch((error: unknown) => {
        if (error instanceof StoreError) throw error;
        if (stop.aborted) throw new StoreError('the agent stops', 'ECANCELED');
        return isTimeout(error) ? 'does not answer in time' : `cannot be reached: ${errorText(error)}`;
      });
      const isFinal = typeof answer !== 'string' && answer.status < 500 && answer.status !== 429;
      if (isFinal) return answer;
      if (failures === ATTEMPTS_MAX) {
        if (typeof answer === 'string') throw new StoreError(`the store ${answer}`);
        return answer;
      }
      await clock.wait(grownMs({ firstMs: retryMs, mostMs: retryMs * 8 }, failures), stop);
    }
  }

  private async attempt(
    make: () => StoreRequest | Promise<StoreRequest>,
    path: string | undefined,
  ): Promise<StoreAnswer> {
    const { timeoutMs, stop } = this.options;
    const { url, ...request } = await make();
    return turnsOf(url).take(() => {
      this.sum.requests++;
      return withDeadline(timeoutMs, stop, (signal) =>
        exchangeWith(url, request, signal, async (response) => {
          const body = await bodyOf(response, path);
          this.sum.bytes += Number(response.headers['content-length'] ?? body.length);
          return { status: response.statusCode ?? 0, headers: response.headers, body };
        }),
      );
    });
  }
}

async function bodyOf(response: IncomingMessage, path: string | undefined): Promise<Buffer> {
  if (path === undefined) return wholeBody(response, ANSWER_BYTES_MAX);
  if (response.statusCode !== 200) return wholeBody(response, ERROR_BYTES_MAX);
  await pipeline(response, createWriteStream(path, { mode: 0o600 })).catch((error: unknown) => {
    // The connection is only read here.
    const { syscall } = error as NodeJS.ErrnoException;
    if (syscall !== 'open' && syscall !== 'write') throw error;
    throw new StoreError(`the data folder does not take it: ${errorText(error)}`);
  });
  return Buffer.alloc(0);
}
