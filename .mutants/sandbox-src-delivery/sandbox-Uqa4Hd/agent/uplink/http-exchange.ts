import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { errorCode } from '../log';

interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** The parts of the body, which are sent one after the other. */
  readonly body?: readonly Uint8Array[];
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
export async function exchange(url: string, given: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
  try {
    return await exchangeOnce(url, given, signal);
  } catch (error) {
    // The other side had closed the kept connection without an answer.
    if (error instanceof StaleConnection && !signal.aborted) return exchangeOnce(url, given, signal);
    throw error;
  }
}

class StaleConnection extends Error {}

async function exchangeOnce(url: string, given: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
  const { method, headers: asked, body = [] } = given;
  const length = body.reduce((sum, part) => sum + part.length, 0);
  const headers = length === 0 ? asked : { ...asked, 'content-length': String(length) };
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  try {
    return await new Promise<HttpResponse>((resolve, reject) => {
      const sent = request(url, { method, headers, signal }, (response) => {
        received(response).then(resolve, reject);
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

async function received(response: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer does not end');
    chunks.push(chunk);
  }
  const { statusCode = 0, headers } = response;
  return {
    status: statusCode,
    retryAfter: headers['retry-after'] ?? null,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
