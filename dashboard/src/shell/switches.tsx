import {
  ActionIcon,
  NativeSelect,
  Popover,
  SegmentedControl,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { IconMoon, IconSun, IconWorld } from '@tabler/icons-react';
import { useDeferredValue } from 'react';
import type { Session } from '../api/session';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { parseZone, type TimeZone, zoneName, zoneNames } from '../lib/time';
import { SHELL } from './texts';

/** Chooses the zone of all times: UTC, the browser's, the service's, or any other. */
export function TimeZoneSwitch({ session }: { readonly session: Session }) {
  const t = useTexts(SHELL);
  const [zone, setZone] = useTimeZone();
  // The mark of a choice measures the page, which takes a task of its own while the page is drawn for the first time.
  const shownZone = useDeferredValue<string>(zone, '');
  const usual = [
    { value: 'UTC', label: 'UTC' },
    { value: 'local', label: t.local },
  ];
  const isUsual = isUsualZone(zone);
  const city = zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone;
  return (
    <>
      <SegmentedControl
        visibleFrom="xs"
        aria-label={t.timeZone}
        data={isUsual ? usual : [...usual, { value: zone, label: city }]}
        value={shownZone}
        onChange={setZone}
      />
      <Popover trapFocus returnFocus position="bottom-end" shadow="md">
        <Popover.Target>
          <ActionIcon variant="subtle" color="gray" c="inherit" aria-label={t.otherZone(zoneName(zone))}>
            <IconWorld size={18} aria-hidden />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown aria-label={t.timeZone}>
          <AllZones session={session} />
        </Popover.Dropdown>
      </Popover>
    </>
  );
}

const isUsualZone = (zone: TimeZone): boolean => zone === 'UTC' || zone === 'local';

function AllZones({ session }: { readonly session: Session }) {
  const t = useTexts(SHELL);
  const [zone, setZone] = useTimeZone();
  const names = zoneNames();
  const isListed = isUsualZone(zone) || names.includes(zone);
  const service = parseZone(session.timeZone ?? null);
  return (
    <NativeSelect label={t.allTimes} value={zone} onChange={(event) => setZone(event.currentTarget.value)}>
      {!isListed && <option value={zone}>{zone}</option>}
      <option value="UTC">UTC</option>
      <option value="local">{t.ofBrowser(zoneName('local'))}</option>
      {service && <option value={service}>{t.ofServer(zoneName(service))}</option>}
      <hr />
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </NativeSelect>
  );
}

export function ColorSchemeSwitch() {
  const t = useTexts(SHELL);
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'light' ? 'dark' : 'light';
  const Icon = other === 'dark' ? IconMoon : IconSun;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="inherit"
      aria-label={other === 'dark' ? t.useDark : t.useLight}
      onClick={() => setColorScheme(other)}
    >
      <Icon size={18} aria-hidden />
    </ActionIcon>
  );
}
