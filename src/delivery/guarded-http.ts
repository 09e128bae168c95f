import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import type { NetworkGuard } from './network-guard';

/** A body that is read while it is sent. */
interface OpenedBody {
  readonly bytes: number;
  open(): Readable;
}

interface HttpRequest {
  readonly method: 'POST' | 'PUT' | 'GET' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | OpenedBody;
  /** Limit of the answer's bytes. The rest is cut off. */
  readonly answerBytesMax?: number;
  /** In place of the limit that all requests have. */
  readonly answerMs?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Certificates and keys in PEM that TLS trusts and shows in addition to the usual ones. */
export interface TlsOptions {
  readonly ca?: string | undefined;
  /** The certificate for a receiver that asks for one. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

const ANSWER_MS = 20_000;
const ANSWER_BYTES = 64 * 1024;
const IDLE_MS = 15_000;
const SOCKETS = 4;

/**
 * Sends the requests of one destination. It connects only to addresses that the guard allows, follows no redirects and
 * limits the time.
 */
export class GuardedHttp {
  readonly #agents: { readonly http: http.Agent; readonly https: https.Agent };

  constructor(
    private readonly guard: NetworkGuard,
    tls: TlsOptions = {},
    private readonly answerMs = ANSWER_MS,
  ) {
    const options = { keepAlive: true, maxSockets: SOCKETS, timeout: IDLE_MS, scheduling: 'lifo' } as const;
    this.#agents = {
      http: new http.Agent(options),
      https: new https.Agent({ ...options, ...(tls.ca !== undefined && { ca: tls.ca }) }),
    };
  }

  /** @throws RefusedAddress; Error when the receiver did not answer, or did not finish its answer, in time */
  async send(request: HttpRequest, signal?: AbortSignal): Promise<HttpAnswer> {
    const url = new URL(request.url);
    const isPlain = url.protocol === 'http:';
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // For a name, the connection itself asks the guard by `lookup`.
    if (isIP(host) > 0) await this.guard.addressesOf(host, isPlain);
    const attempt = () => this.#attempt(url, request, signal);
    // The receiver may have closed a kept connection at the moment this request was sent on it.
    return attempt().catch((error: unknown) =>
      error instanceof StaleConnection ? attempt() : Promise.reject(error),
    );
  }

  #attempt(url: URL, request: HttpRequest, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    const isPlain = url.protocol === 'http:';
    return new Promise((done, fail) => {
      const sent = (isPlain ? http : https).request(url, {
        method: request.method,
        headers: {
          'User-Agent': 'audit-activity',
          ...request.headers,
          'Content-Length': Buffer.isBuffer(request.body) ? request.body.length : request.body.bytes,
        },
        agent: isPlain ? this.#agents.http : this.#agents.https,
        lookup: this.guard.lookup(isPlain),
      });
      const answerMs = request.answerMs ?? this.answerMs;
      const late = () => sent.destroy(new Error(`no answer within ${answerMs / 1000} seconds`));
      const timer = setTimeout(late, answerMs);
      const aborted = () => sent.destroy(new Error('the attempt was ended'));
      signal?.addEventListener('abort', aborted, { once: true });
      let isAnswered = false;
      sent.once('close', () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        // Node reports nothing else after an unusable answer, such as a change of protocol.
        if (!isAnswered) fail(new Error('the connection was closed without an answer'));
      });
      sent.once('response', (answer) => {
        isAnswered = true;
        readAnswer(answer, request.answerBytesMax ?? ANSWER_BYTES).then(done, fail);
      });
      sent.once('error', (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && error.code === 'ECONNRESET';
        fail(isStale ? new StaleConnection(error.message, { cause: error }) : error);
      });
      // The attempt may have ended while the address was looked up.
      if (signal?.aborted) aborted();
      else if (Buffer.isBuffer(request.body)) sent.end(request.body);
      else pipeline(request.body.open(), sent, (error) => error && fail(error));
    });
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }
}

class StaleConnection extends Error {}

async function readAnswer(answer: http.IncomingMessage, bytesMax: number): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
    // A receiver that never ends its answer must not keep the connection.
    else break;
  }
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) };
}
