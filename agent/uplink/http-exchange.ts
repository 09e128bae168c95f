import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { errorCode } from '../log';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface HttpResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

/** An answer names each rejected event once; anything longer is not from the service. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Sends one request. Not `fetch`, which alone takes 20 MB of memory. Redirections are not followed.
 * @throws when there is no answer; the reason of the signal when it is aborted
 */
export async function exchange(url: string, given: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
  try {
    return await exchangeOnce(url, given, signal);
  } catch (error) {
    // Nothing was ever answered on it: the other side had closed a connection that was kept for the next request.
    if (error instanceof StaleConnection && !signal.aborted) return exchangeOnce(url, given, signal);
    throw error;
  }
}

class StaleConnection extends Error {}

async function exchangeOnce(url: string, given: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
  const { method, headers, body } = given;
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
      sent.end(body);
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
