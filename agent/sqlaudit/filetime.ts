import { FILETIME_UNIX_EPOCH, formatTicks } from '../../src/audit-event/event-time';
import type { Clock } from './package-record';

const TICKS_PER_SECOND = 10_000_000n;
/** 9999-12-31T23:59:59.9999999Z, the last moment of `datetime2(7)`. */
const FILETIME_MAX = 2_650_467_743_999_999_999n;

/** UTC text with seven decimals of a FILETIME (100 ns since 1601), or null after the year 9999. */
export function filetimeText(filetime: bigint): string | null {
  return filetime > FILETIME_MAX ? null : formatTicks(filetime - FILETIME_UNIX_EPOCH);
}

/** FILETIME of a tick count of the server's clock, or null after the year 9999. */
export function tickTime(clock: Clock, ticks: bigint): bigint | null {
  const elapsed =
    clock.ticksPerSecond === TICKS_PER_SECOND ? ticks : (ticks * TICKS_PER_SECOND) / clock.ticksPerSecond;
  const time = clock.base + elapsed;
  return time > FILETIME_MAX ? null : time;
}
