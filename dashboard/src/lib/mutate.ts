import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useCallback } from 'react';
import { type AnyVariables, useClient } from 'urql';
import { noAnswer } from '../api/errors';

/** Runs a mutation; rejects with the service's refusal. */
export function useMutate() {
  const client = useClient();
  return useCallback(
    async <D, V extends AnyVariables>(document: TypedDocumentNode<D, V>, variables: V): Promise<D> => {
      const { data, error } = await client.mutation(document, variables);
      if (error || !data) throw error ?? noAnswer();
      return data;
    },
    [client],
  );
}
