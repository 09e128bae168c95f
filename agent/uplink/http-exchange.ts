import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { errorCode } from '../log';
import { headersOf, optionsOf, type Way } from './way';

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  /** The parts of the body, which are sent one after the other. */
  readonly body?: readonly Uint8Array[];
  /** Null or absent: directly, and by the certificates of the system. */
  readonly way?: Way | null;
}

export interface HttpResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

/** The most bytes of an answer, which names each rejected event once. A longer answer is not from the service. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Sends one request, and follows no redirect. It does not use `fetch`, which alone takes 20 MB of memory.
 * @throws if there is no answer; the reason of the signal if that is aborted
 */
export function exchange(url: string, given: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
  return exchangeWith(url, given, signal, async (response) => ({
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'] ?? null,
    body: (await wholeBody(response, ANSWER_BYTES_MAX)).toString('utf8'),
  }));
}

/** The same, with an answer that `receive` makes of the response. */
export async function exchangeWith<T>(
  url: string,
  given: HttpRequest,
  signal: AbortSignal,
  receive: (response: IncomingMessage) => Promise<T>,
): Promise<T> {
  try {
    return await exchangeOnce(url, given, signal, receive);
  } catch (error) {
    // The other side had closed the kept connection without an answer.
    if (error instanceof StaleConnection && !signal.aborted) return exchangeOnce(url, given, signal, receive);
    throw error;
  }
}

class StaleConnection extends Error {}

async function exchangeOnce<T>(
  url: string,
  given: HttpRequest,
  signal: AbortSignal,
  receive: (response: IncomingMessage) => Promise<T>,
): Promise<T> {
  const { method, body = [], way = null } = given;
  const asked = { ...given.headers, ...headersOf(way, url) };
  const length = body.reduce((sum, part) => sum + part.length, 0);
  const headers = length === 0 ? asked : { ...asked, 'content-length': String(length) };
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  try {
    return await new Promise<T>((resolve, reject) => {
      const sent = request(url, { method, headers, signal, ...optionsOf(way, url) }, (response) => {
        receive(response).then(resolve, reject);
      });
      sent.on('error', (error) => {
        const isStale = sent.reusedSocket && errorCode(error) === 'ECONNRESET';
        reject(isStale ? new StaleConnection(error.message) : error);
      });
      for (const part of body) sent.write(part);
      sent.end();
    });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** @throws if the body is longer */
export async function wholeBody(response: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error('the answer does not end');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
