import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Secret } from '../config/secret';
import { exchange, type HttpResponse } from './http-exchange';

/** The address of the service, and the key that the agent shows it. */
export interface ServiceAddress {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
}

const compress = promisify(gzip);

export const graphqlUrl = ({ baseUrl }: ServiceAddress): string => `${baseUrl}/graphql`;

/**
 * Sends a GraphQL request once.
 * @param body JSON; the caller may reuse it when this has settled
 * @throws if there is no answer, or a redirection
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
  // Level 1: statements shrink to a fraction anyway, and the database host needs its processor for better things.
  const compressed = await compress(body, { level: 1 });
  const request = { method: 'POST', headers, body: compressed } as const;
  const response = await exchange(graphqlUrl(service), request, signal);
  const { status } = response;
  // The agent shows the key at the configured address and nowhere else.
  if (status >= 300 && status < 400) throw new RedirectError(status);
  return response;
}

export class RedirectError extends Error {
  constructor(status: number) {
    super(`it answers with a redirection (HTTP ${status}): correct CentralApi.BaseUrl`);
  }
}
