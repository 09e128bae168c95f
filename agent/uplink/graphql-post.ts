import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Secret } from '../config/secret';
import { exchange, type HttpResponse } from './http-exchange';

/** Where the service is, and what the agent shows it. */
export interface ServiceAddress {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
}

const compress = promisify(gzip);

export const graphqlUrl = ({ baseUrl }: ServiceAddress): string => `${baseUrl}/graphql`;

/**
 * Sends a GraphQL request once.
 * @param body JSON; may be used again when this has settled
 * @throws when there is no answer, or one of another address
 */
export async function postGraphql(
  service: ServiceAddress,
  body: Uint8Array | string,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const headers = {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    accept: 'application/json',
    'x-api-key': service.apiKey.reveal(),
  };
  // Level 1: statements shrink to a fraction anyway, and the database host has better uses for its processor.
  const compressed = await compress(body, { level: 1 });
  const request = { method: 'POST', headers, body: compressed } as const;
  const response = await exchange(graphqlUrl(service), request, signal);
  const { status } = response;
  // The key goes to the configured address and nowhere else.
  if (status >= 300 && status < 400) throw new RedirectError(status);
  return response;
}

export class RedirectError extends Error {
  constructor(status: number) {
    super(`it answers with a redirection (HTTP ${status}): correct CentralApi.BaseUrl`);
  }
}
