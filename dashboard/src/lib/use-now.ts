import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { serviceNowMs } from './service-clock';

/** The time of the service in milliseconds since 1970, updated at an interval. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(serviceNowMs);
  useInterval(() => setNowMs(serviceNowMs()), everyMs, { autoInvoke: true });
  return nowMs;
}
