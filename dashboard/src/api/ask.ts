import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { AnyVariables, Client } from 'urql';
import { describeError } from './errors';

const WAIT_MS = 5_000;

/** Asks until the rate limit lets it: for work of many calls. @throws what the service refused, or that it was aborted */
export async function askInTime<D, V extends AnyVariables>(
  client: Client,
  signal: AbortSignal,
  document: TypedDocumentNode<D, V>,
  variables: V,
): Promise<D> {
  for (;;) {
    const { data, error } = await client
      .query(document, variables, { requestPolicy: 'network-only' })
      .toPromise();
    signal.throwIfAborted();
    if (data) return data;
    if (!error || describeError(error).code !== 'rate_limited')
      throw error ?? new Error('The service gave no answer.');
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    signal.throwIfAborted();
  }
}
