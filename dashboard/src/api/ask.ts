import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { AnyVariables, Client } from 'urql';
import { codeOf, noAnswer } from './errors';

const WAIT_MS = 5_000;

/** Asks, and waits as the rate limit demands, for work of many calls. @throws the service's refusal, or an abort */
export async function askInTime<D, V extends AnyVariables>(
  client: Client,
  signal: AbortSignal,
  document: TypedDocumentNode<D, V>,
  variables: V,
): Promise<D> {
  for (;;) {
    const { data, error } = await client.query(document, variables).toPromise();
    signal.throwIfAborted();
    if (data) return data;
    if (!error || codeOf(error) !== 'rate_limited') throw error ?? noAnswer();
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    signal.throwIfAborted();
  }
}
