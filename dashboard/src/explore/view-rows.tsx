import { Text } from '@mantine/core';
import { useQuery } from 'urql';
import { RowsDocument } from '../../generated/operations';
import { useTexts } from '../lib/language';
import { formatDigits } from '../lib/numbers';
import type { ExploreFilter } from './explore-filter';
import { EXPLORE } from './texts';

/** How many rows the events of a view returned and changed, where they did. It is asked once the events are there. */
export function ViewRows({ filter, isAsked }: { readonly filter: ExploreFilter; readonly isAsked: boolean }) {
  const t = useTexts(EXPLORE);
  const [{ data, fetching }] = useQuery({ query: RowsDocument, variables: filter, pause: !isAsked });
  const rows = data?.auditRows;
  if (!isAsked || fetching || !rows) return null;
  const { responseRows, affectedRows } = rows;
  return (
    <Text size="sm" data-testid="rows">
      {[
        responseRows !== '0' && t.rowsRead(formatDigits(responseRows)),
        affectedRows !== '0' && t.rowsChanged(formatDigits(affectedRows)),
      ]
        .filter((text) => text !== false)
        .map((text) => `· ${text}`)
        .join(' ')}
    </Text>
  );
}
