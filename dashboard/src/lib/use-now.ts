import { useInterval } from '@mantine/hooks';
import { useState } from 'react';

/** Milliseconds since 1970, anew every so often. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useInterval(() => setNowMs(Date.now()), everyMs, { autoInvoke: true });
  return nowMs;
}
