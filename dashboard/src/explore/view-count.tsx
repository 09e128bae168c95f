import { Group, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { RowsDocument } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { formatDigits } from '../lib/numbers';
import type { ExploreFilter } from './explore-filter';
import { EXPLORE } from './texts';

interface CountProps {
  readonly filter: ExploreFilter;
  /** Undefined: unknown for this question. */
  readonly totalCount: number | undefined;
  /** Whether it will be known. */
  readonly isCounting: boolean;
}

/** How many events a view has, and how many rows they returned and changed. */
export function ViewCount({ filter, totalCount, isCounting }: CountProps) {
  const common = useTexts(COMMON);
  const t = useTexts(EXPLORE);
  return (
    <Group gap={6} mih={24} wrap="nowrap" style={{ whiteSpace: 'nowrap' }}>
      <Text size="sm" role="status" fw={600}>
        {totalCount !== undefined ? t.events(totalCount) : isCounting ? common.counting : t.notCounted}
      </Text>
      <Rows filter={filter} isAsked={Boolean(totalCount)} />
    </Group>
  );
}

/** How many rows the events of a view returned and changed, where they did. It is asked once the events are there. */
function Rows({ filter, isAsked }: { readonly filter: ExploreFilter; readonly isAsked: boolean }) {
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
