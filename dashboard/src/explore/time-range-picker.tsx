import { Button, Divider, Group, Popover, Stack, TextInput } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { formatTime, fromInputValue, type TimeZone, toInputValue } from '../lib/time';
import { fixedRange, RANGE_NAMES, RANGES, type TimeRange } from './time-range';

interface Props {
  readonly range: TimeRange;
  readonly zone: TimeZone;
  readonly onChange: (range: TimeRange) => void;
}

export function TimeRangePicker({ range, zone, onChange }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const choose = (next: TimeRange) => {
    setIsOpen(false);
    onChange(next);
  };
  return (
    <Popover opened={isOpen} onChange={setIsOpen} trapFocus returnFocus position="bottom-start" shadow="md">
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconClock size={16} aria-hidden />}
          onClick={() => setIsOpen((open) => !open)}
        >
          {labelOf(range, zone)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Time range">
        <Stack gap={4}>
          {RANGE_NAMES.map((name) => (
            <Button
              key={name}
              size="compact-sm"
              justify="flex-start"
              variant={range.name === name ? 'light' : 'subtle'}
              aria-pressed={range.name === name}
              onClick={() => choose({ name })}
            >
              {RANGES[name].label}
            </Button>
          ))}
          <Divider my={4} />
          <CustomRange range={range} zone={zone} onChange={choose} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function CustomRange({ range, zone, onChange }: Props) {
  const nowMs = Date.now();
  const fixed = range.name === null ? range : null;
  const ms = range.name === null ? null : RANGES[range.name].ms;
  const [from, setFrom] = useState(
    toInputValue(fixed ? Date.parse(fixed.from) : nowMs - (ms ?? RANGES['24h'].ms), zone),
  );
  const [to, setTo] = useState(toInputValue(fixed ? Date.parse(fixed.to) : nowMs, zone));
  const [fromMs, toMs] = [fromInputValue(from, zone), fromInputValue(to, zone)];
  const problem = fromMs !== null && toMs !== null && fromMs >= toMs ? 'Must be after “From”.' : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (fromMs !== null && toMs !== null && !problem) onChange(fixedRange(fromMs, toMs));
  };
  const input = { type: 'datetime-local', step: 1, size: 'xs', required: true } as const;
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <TextInput
          {...input}
          label={`From (${zone})`}
          value={from}
          onChange={(e) => setFrom(e.currentTarget.value)}
        />
        <TextInput
          {...input}
          label={`To (${zone})`}
          value={to}
          error={problem}
          onChange={(e) => setTo(e.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" size="xs">
            Apply
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const labelOf = (range: TimeRange, zone: TimeZone): string =>
  range.name === null
    ? `${formatTime(range.from, zone)} – ${formatTime(range.to, zone)}`
    : RANGES[range.name].label;
