import { Button, Divider, Popover, SimpleGrid, Stack } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { useState } from 'react';
import { useTexts } from '../lib/language';
import type { In } from '../lib/texts';
import { formatTime, type TimeZone } from '../lib/time';
import classes from './explore.module.css';
import { EXPLORE } from './texts';
import { COMMON_RANGES, rangeLabel, rangeText, type TimeRange } from './time-range';
import { FixedRange, LastNight, LastSpan } from './time-range-forms';

interface Props {
  readonly range: TimeRange;
  readonly zone: TimeZone;
  readonly onChange: (range: TimeRange) => void;
}

const DAYS: readonly TimeRange[] = [{ kind: 'today' }, { kind: 'yesterday' }];

export function TimeRangePicker({ range, zone, onChange }: Props) {
  const t = useTexts(EXPLORE);
  const [isOpen, setIsOpen] = useState(false);
  const choose = (next: TimeRange) => {
    setIsOpen(false);
    onChange(next);
  };
  const isChosen = (each: TimeRange) => rangeText(each) === rangeText(range) && range.kind !== 'fixed';
  return (
    <Popover opened={isOpen} onChange={setIsOpen} trapFocus returnFocus position="bottom-start" shadow="md">
      <Popover.Target>
        <Button
          variant="default"
          data-printed
          maw="100%"
          h="auto"
          mih={28}
          py={2}
          classNames={{ label: classes.wrap }}
          leftSection={<IconClock size={16} aria-hidden />}
          onClick={() => setIsOpen((open) => !open)}
        >
          {labelOf(range, zone, t)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.timeRange} maw="min(340px, 100vw)">
        <Stack gap="xs">
          <SimpleGrid cols={2} spacing={4} verticalSpacing={4}>
            {[...DAYS, ...COMMON_RANGES].map((each) => (
              <Button
                key={rangeText(each)}
                justify="flex-start"
                variant={isChosen(each) ? 'light' : 'subtle'}
                aria-pressed={isChosen(each)}
                onClick={() => choose(each)}
              >
                {rangeLabel(each, t)}
              </Button>
            ))}
          </SimpleGrid>
          <LastNight range={range} zone={zone} onChange={choose} />
          <LastSpan range={range} zone={zone} onChange={choose} />
          <Divider />
          <FixedRange range={range} zone={zone} onChange={choose} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

const labelOf = (range: TimeRange, zone: TimeZone, t: In<typeof EXPLORE>): string =>
  range.kind === 'fixed'
    ? `${formatTime(range.from, zone)} – ${formatTime(range.to, zone)}`
    : (rangeLabel(range, t) ?? '');
