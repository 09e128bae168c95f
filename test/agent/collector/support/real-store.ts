import { type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** The address of a store that `npm run test:stores` names; null: the stand-in answers by itself. */
export const realStore = (variable: 'TEST_S3_URL' | 'TEST_AZURE_URL'): URL | null => {
  const url = process.env[variable];
  return url ? new URL(url) : null;
};

interface Passed {
  readonly target: URL;
  readonly headers: IncomingMessage['headers'];
  /** Changes an answer of XML. */
  readonly change?: (xml: string) => string;
}

/** Passes a request without a body to a real store, and its answer back. @returns the length of the answer */
export async function pass(
  { method = 'GET' }: IncomingMessage,
  response: ServerResponse,
  { change, headers, target }: Passed,
): Promise<number> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    requestOf(target, { method, headers }, resolve).once('error', reject).end();
  });
  const body = await buffer(answer);
  const changed = change ? Buffer.from(change(body.toString('utf8'))) : body;
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...told } = answer.headers;
  if (method !== 'HEAD') told['content-length'] = String(changed.length);
  response.writeHead(answer.statusCode ?? 500, told).end(changed);
  return changed.length;
}

/** Sends a request with a body. @throws unless the store says that it did it */
export async function put(
  url: URL,
  init: { method: string; headers: Record<string, string>; body?: Buffer },
) {
  const { body, ...rest } = init;
  const answer = await fetch(url, { ...rest, ...(body && { body: new Uint8Array(body) }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${init.method} ${url.pathname}: ${answer.status} ${text}`);
  return text;
}
