import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { AnyVariables, Client } from 'urql';
import { noAnswer } from './errors';

/** Asks, for work of many calls. @throws the service's refusal, or an abort */
export async function askFor<D, V extends AnyVariables>(
  client: Client,
  signal: AbortSignal,
  document: TypedDocumentNode<D, V>,
  variables: V,
): Promise<D> {
  const { data, error } = await client.query(document, variables).toPromise();
  signal.throwIfAborted();
  if (error || !data) throw error ?? noAnswer();
  return data;
}
