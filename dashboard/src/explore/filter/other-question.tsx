import { Button, Text } from '@mantine/core';
import type { OtherLanguage } from '../../../../src/event/expression/other-language';
import { useTexts } from '../../lib/language';
import { showHidden } from '../event/marks';
import { EXPLORE } from '../texts';
import { parseRange, rangeLabel, type TimeRange } from '../time-range';

interface Props {
  readonly found: OtherLanguage;
  readonly onSearch: (text: string, range: TimeRange | null) => void;
}

/** Says that the filter is written in the language of another product, and offers the same question. */
export function OtherQuestion({ found: { language, filter, range, differences }, onSearch }: Props) {
  const t = useTexts(EXPLORE);
  const told = <span lang="en">{differences.map(showHidden).join(' ')}</span>;
  if (filter === null)
    return (
      <Text size="sm" mt={4} role="note">
        {t.otherUnknown(language)} {told}
      </Text>
    );
  const time = parseRange(range);
  return (
    <Text size="sm" mt={4} role="note" style={{ overflowWrap: 'anywhere' }}>
      {differences.length > 0 ? t.otherNearest(language) : t.otherSame(language)}{' '}
      <Button
        size="compact-xs"
        variant="default"
        h="auto"
        styles={{ label: { whiteSpace: 'normal' } }}
        onClick={() => onSearch(filter, time)}
      >
        {showHidden(filter) || t.everyEvent}
        {time && ` · ${rangeLabel(time, t)}`}
      </Button>{' '}
      {told}
    </Text>
  );
}
