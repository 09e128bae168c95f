export type TimeZone = 'UTC' | 'local';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const two = (n: number) => String(n).padStart(2, '0');

/** `2025-04-15` in the zone. */
export function formatDate(time: string | number, zone: TimeZone): string {
  const date = new Date(time);
  return zone === 'UTC'
    ? date.toISOString().slice(0, 10)
    : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `08:59:38` in the zone. */
export function formatClock(time: string | number, zone: TimeZone): string {
  const date = new Date(time);
  return zone === 'UTC'
    ? date.toISOString().slice(11, 19)
    : `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/**
 * `2025-04-15 08:59:38.606` in the zone. A local time has its offset, `2025-04-15 04:59:38.606 −04:00`, which distinguishes
 * an hour that the clock has twice.
 * @param time ISO 8601, in UTC; SQL Server's seven decimals are more than a Date holds, so they are taken as text
 * @param decimals of the second, at most seven
 */
export function formatTime(time: string, zone: TimeZone, decimals = 0): string {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? '';
  const shown = decimals > 0 ? `.${fraction.slice(0, decimals).padEnd(decimals, '0')}` : '';
  const offset = zone === 'local' ? ` ${offsetOf(Date.parse(time))}` : '';
  return `${formatDate(time, zone)} ${formatClock(time, zone)}${shown}${offset}`;
}

/** The offset of local time from UTC at a moment, such as `−04:00`. */
export function offsetOf(ms: number): string {
  const minutes = -new Date(ms).getTimezoneOffset();
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '−' : '+'}${two(hours)}:${two(rest)}`;
}

/** `America/New_York`, or `UTC`. */
export const zoneName = (zone: TimeZone): string =>
  zone === 'UTC' ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The start of an hour of a day in the zone. @param days from today on, `nowMs` being today */
export function dayStart(nowMs: number, zone: TimeZone, days = 0, hour = 0): number {
  const now = new Date(nowMs);
  return zone === 'UTC'
    ? Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days, hour)
    : new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour).getTime();
}

/** The value of an `<input type="datetime-local">` for a moment. */
export const toInputValue = (ms: number, zone: TimeZone): string =>
  `${formatDate(ms, zone)}T${formatClock(ms, zone)}`;

/** The same for an ISO time. Empty: no time is given, or it is invalid. */
export function inputValueOf(time: string | null, zone: TimeZone): string {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? '' : toInputValue(ms, zone);
}

/** The moment such an input names; null while it is incomplete. */
export function fromInputValue(value: string, zone: TimeZone): number | null {
  const ms = Date.parse(zone === 'UTC' ? `${value}Z` : value);
  return Number.isNaN(ms) ? null : ms;
}

const SPANS = [
  [DAY_MS, 'd'],
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'min'],
  [1000, 's'],
] as const;

/** A length of time in its largest unit: `3 d`, `5 h`, `40 s`. */
export function formatSpan(ms: number): string {
  const [unit, name] = SPANS.find(([each]) => ms >= each) ?? SPANS[SPANS.length - 1] ?? [1000, 's'];
  return `${Math.round(ms / unit)} ${name}`;
}

/** How long ago a time was, in a short form. */
export const formatAgo = (time: string, nowMs: number): string =>
  `${formatSpan(Math.max(0, nowMs - Date.parse(time)))} ago`;
