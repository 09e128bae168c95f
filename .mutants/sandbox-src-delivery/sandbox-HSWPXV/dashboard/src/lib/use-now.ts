import { useInterval } from '@mantine/hooks';
import { useState } from 'react';

/** The time in milliseconds since 1970, updated at an interval. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useInterval(() => setNowMs(Date.now()), everyMs, { autoInvoke: true });
  return nowMs;
}
