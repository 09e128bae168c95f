import { Button, Text } from '@mantine/core';
import type { OtherLanguage } from '../../../../src/event/expression/other-language';
import { showHidden } from '../event/marks';
import { parseRange, rangeLabel, type TimeRange } from '../time-range';

interface Props {
  readonly found: OtherLanguage;
  readonly onSearch: (text: string, range: TimeRange | null) => void;
}

/** Says that the filter is written in the language of another product, and offers the same question. */
export function OtherQuestion({ found: { language, filter, range, differences }, onSearch }: Props) {
  const told = differences.map(showHidden).join(' ');
  if (filter === null)
    return (
      <Text size="sm" mt={4} role="note">
        This looks like {language}, and a part of it is not known here: {told}
      </Text>
    );
  const time = parseRange(range);
  return (
    <Text size="sm" mt={4} role="note" style={{ overflowWrap: 'anywhere' }}>
      This looks like {language}. {differences.length > 0 ? 'The nearest question' : 'The same question'} here
      is{' '}
      <Button
        size="compact-xs"
        variant="default"
        h="auto"
        styles={{ label: { whiteSpace: 'normal' } }}
        onClick={() => onSearch(filter, time)}
      >
        {showHidden(filter) || 'Every event'}
        {time && ` · ${rangeLabel(time)}`}
      </Button>{' '}
      {told}
    </Text>
  );
}
