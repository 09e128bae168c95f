import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { useTexts } from '../lib/language';
import { serviceNowMs } from '../lib/service-clock';
import { DAY_MS, formatTime, fromInputValue, type TimeZone, toInputValue, zoneName } from '../lib/time';
import { EXPLORE } from './texts';
import { AMOUNT_MAX, boundsOf, fixedRange, last, type TimeRange, UNITS, type Unit } from './time-range';

interface Props {
  readonly range: TimeRange;
  readonly zone: TimeZone;
  readonly onChange: (range: TimeRange) => void;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}));
const NIGHT_DEFAULT = { from: 20, to: 6 };

/** The hours of a night, which the reader chooses and this browser keeps. */
export function LastNight({ range, zone, onChange }: Props) {
  const t = useTexts(EXPLORE);
  const [kept, keep] = useLocalStorage({
    key: 'night',
    defaultValue: NIGHT_DEFAULT,
    getInitialValueInEffect: false,
  });
  const night = range.kind === 'night' ? range : { kind: 'night' as const, ...kept };
  const [hours, setHours] = useState({ from: night.from, to: night.to });
  const bounds = boundsOf({ kind: 'night', ...hours }, serviceNowMs(), zone);
  const choose = () => {
    keep(hours);
    onChange({ kind: 'night', ...hours });
  };
  return (
    <div>
      <Group gap={4} wrap="nowrap" align="flex-end">
        <NativeSelect
          label={t.nightFrom}
          data={HOURS}
          value={hours.from}
          onChange={(event) => setHours({ ...hours, from: Number(event.currentTarget.value) })}
        />
        <NativeSelect
          label={t.nightTo}
          data={HOURS}
          value={hours.to}
          onChange={(event) => setHours({ ...hours, to: Number(event.currentTarget.value) })}
        />
        <Button variant="default" onClick={choose} disabled={hours.from === hours.to}>
          {t.lastNight}
        </Button>
      </Group>
      <Text size="xs" c="dimmed" mt={2}>
        {formatTime(bounds.startTime ?? '', zone)} – {formatTime(bounds.endTime ?? '', zone)}
      </Text>
    </div>
  );
}

/** A form for any length of time that ends now. */
export function LastSpan({ range, onChange }: Props) {
  const t = useTexts(EXPLORE);
  const [amount, setAmount] = useState<number | string>(range.kind === 'last' ? range.amount : 2);
  const [unit, setUnit] = useState<Unit>(range.kind === 'last' ? range.unit : 'h');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = Number(amount);
    if (Number.isInteger(given) && given >= 1 && given <= AMOUNT_MAX) onChange(last(given, unit));
  };
  return (
    <form onSubmit={submit}>
      <Group gap={4} wrap="nowrap" align="flex-end">
        <TextInput
          type="number"
          label={t.last}
          w={80}
          min={1}
          max={AMOUNT_MAX}
          step={1}
          required
          withAsterisk={false}
          value={amount}
          onChange={(event) => setAmount(event.currentTarget.value)}
        />
        <NativeSelect
          aria-label={t.unit}
          data={UNITS.map((value) => ({ value, label: t[value] }))}
          value={unit}
          onChange={(event) => setUnit(event.currentTarget.value as Unit)}
        />
        <Button type="submit" variant="default">
          {' '}
          {t.show}{' '}
        </Button>
      </Group>
    </form>
  );
}

export function FixedRange({ range, zone, onChange }: Props) {
  const t = useTexts(EXPLORE);
  const now = serviceNowMs();
  const shown = boundsOf(range, now, zone);
  const [from, setFrom] = useState(
    toInputValue(shown.startTime ? Date.parse(shown.startTime) : now - DAY_MS, zone),
  );
  const [to, setTo] = useState(toInputValue(shown.endTime ? Date.parse(shown.endTime) : now, zone));
  const [fromMs, toMs] = [fromInputValue(from, zone), fromInputValue(to, zone)];
  const problem = fromMs !== null && toMs !== null && fromMs >= toMs ? t.mustBeAfter : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (fromMs !== null && toMs !== null && !problem) onChange(fixedRange(fromMs, toMs));
  };
  const input = { type: 'datetime-local', step: 1, size: 'xs', required: true, withAsterisk: false } as const;
  /** Shows which moment is meant, since most clocks have some hours twice. */
  const meant = (ms: number | null) =>
    zone !== 'UTC' && ms !== null ? `${formatTime(new Date(ms).toISOString(), zone)}` : undefined;
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <TextInput
          {...input}
          label={t.fromIn(zoneName(zone))}
          description={meant(fromMs)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          {...input}
          label={t.toIn(zoneName(zone))}
          description={meant(toMs)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={to}
          error={problem}
          errorProps={{ lang: undefined }}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit">{t.apply}</Button>
        </Group>
      </Stack>
    </form>
  );
}
