import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import type { Secret } from '../config/secret';
import { exchange, type HttpResponse } from './http-exchange';
import type { Way } from './way';

/** The address of the service, and the agent's key. */
export interface ServiceAddress {
  /** The address without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  readonly way?: Way | null;
}

export const graphqlUrl = ({ baseUrl }: ServiceAddress): string => `${baseUrl}/graphql`;

/**
 * Sends a GraphQL request once.
 * @param body JSON in UTF-8, in parts
 * @throws if there is no answer, or a redirect
 */
export async function postGraphql(
  service: ServiceAddress,
  body: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<HttpResponse> {
  const isPlain = isOnThisHost(service);
  const headers = {
    'content-type': 'application/json',
    ...(isPlain ? {} : { 'content-encoding': 'gzip' }),
    accept: 'application/json',
    'x-api-key': service.apiKey.reveal(),
  };
  const request = {
    method: 'POST',
    headers,
    body: isPlain ? body : [await compressed(body)],
    way: service.way ?? null,
  } as const;
  const response = await exchange(graphqlUrl(service), request, signal);
  const { status } = response;
  // The agent sends its key to the configured address only.
  if (status >= 300 && status < 400) throw new RedirectError(status);
  return response;
}

/** Whether the service is on this host. Then compressing would only cost processor time. */
function isOnThisHost({ baseUrl }: ServiceAddress): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** The parts compressed as one gzip stream. */
async function compressed(parts: readonly Uint8Array[]): Promise<Buffer> {
  // Level 1: statements shrink to a fraction anyway, and the database host needs its processor for better things.
  const gzip = createGzip({ level: 1, chunkSize: CHUNK_BYTES });
  Readable.from(parts, { objectMode: false }).pipe(gzip);
  return buffer(gzip);
}

const CHUNK_BYTES = 64 * 1024;

export class RedirectError extends Error {
  constructor(status: number) {
    super(`it answers with a redirection (HTTP ${status}): correct CentralApi.BaseUrl`);
  }
}
