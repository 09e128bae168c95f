import type { Client } from 'urql';
import { LIMITS } from '../../../src/limits';
import {
  AccessLogEntriesDocument,
  type AccessLogEntriesQuery,
  type AccessLogEntriesQueryVariables,
} from '../../generated/operations';
import { askFor } from '../api/ask';
import type { Entry } from './rows';

export type EntryFilter = Omit<AccessLogEntriesQueryVariables, 'first' | 'after'>;

/** The columns of the file, in the order of the page. */
export const COLUMNS = [
  ...(['entryId', 'at', 'principalKind', 'keyId', 'keyName', 'userName', 'entrance', 'operation'] as const),
  ...(['parameters', 'subject', 'tenantIds', 'rows', 'outcome', 'requestId', 'address'] as const),
] as const satisfies readonly (keyof Entry)[];

/** All matching entries, page by page, newest first. @throws the service's refusal, or an abort */
export async function* entriesOf(
  client: Client,
  filter: EntryFilter,
  signal: AbortSignal,
): AsyncGenerator<readonly Entry[]> {
  for (let after: string | null = null; ; ) {
    const variables: AccessLogEntriesQueryVariables = { ...filter, after, first: LIMITS.accessLogPageMax };
    const { accessLog: page }: AccessLogEntriesQuery = await askFor(
      client,
      signal,
      AccessLogEntriesDocument,
      variables,
    );
    yield page.entries;
    if (!page.hasNextPage) return;
    after = page.endCursor;
  }
}
