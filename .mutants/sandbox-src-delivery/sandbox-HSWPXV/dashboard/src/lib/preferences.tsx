import { useLocalStorage } from '@mantine/hooks';
import type { TimeZone } from './time';

/** How this browser shows times. It says nothing about the data, so it may outlive the session. */
export function useTimeZone(): [TimeZone, (zone: TimeZone) => void] {
  const [zone, setZone] = useLocalStorage<TimeZone>({
    key: 'time-zone',
    defaultValue: 'UTC',
    getInitialValueInEffect: false,
  });
  return [zone === 'local' ? 'local' : 'UTC', setZone];
}
