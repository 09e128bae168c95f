import { ActionIcon, SegmentedControl, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { useTimeZone } from '../lib/preferences';
import type { TimeZone } from '../lib/time';

export function TimeZoneSwitch() {
  const [zone, setZone] = useTimeZone();
  return (
    <SegmentedControl
      aria-label="Time zone"
      size="xs"
      data={[
        { value: 'UTC', label: 'UTC' },
        { value: 'local', label: 'Local' },
      ]}
      value={zone}
      onChange={(value) => setZone(value as TimeZone)}
    />
  );
}

export function ColorSchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'light' ? 'dark' : 'light';
  const Icon = other === 'dark' ? IconMoon : IconSun;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="inherit"
      size={28}
      aria-label={`Use ${other} colours`}
      onClick={() => setColorScheme(other)}
    >
      <Icon size={18} aria-hidden />
    </ActionIcon>
  );
}
