/** `UTC`, `local` (that of the browser), or an IANA name such as `Europe/Berlin`. */
export type TimeZone = string;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const two = (n: number) => String(n).padStart(2, '0');

const clocks = new Map<string, Intl.DateTimeFormat>();

/** The clock of an IANA zone. @throws RangeError there is no such zone */
function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  clocks.set(zone, clock);
  return clock;
}

/** By how much the zone's clock is ahead of UTC at a moment. */
export function offsetMs(ms: number, zone: TimeZone): number {
  if (zone === 'UTC' || Number.isNaN(ms)) return 0;
  if (zone === 'local') return -new Date(ms).getTimezoneOffset() * MINUTE_MS;
  const parts = Object.fromEntries(
    clockOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year);
  const shown = new Date(0);
  shown.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
  shown.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
  return shown.getTime() - Math.floor(ms / 1000) * 1000;
}

/** The moment as a date whose fields of UTC are those that the zone's clock shows. */
const shownAs = (ms: number, zone: TimeZone): Date => new Date(ms + offsetMs(ms, zone));

/**
 * The moment at which the zone's clock shows this.
 * @param shownMs as a clock of UTC would show it. Of an hour that the clock has twice, the first; of one that it leaves
 * out, that much later
 */
function momentOf(shownMs: number, zone: TimeZone): number {
  if (zone === 'UTC' || Number.isNaN(shownMs)) return shownMs;
  const before = shownMs - offsetMs(shownMs - DAY_MS, zone);
  const after = shownMs - offsetMs(shownMs + DAY_MS, zone);
  return [before, after].find((ms) => ms + offsetMs(ms, zone) === shownMs) ?? before;
}

/** `2025-04-15` in the zone. */
export const formatDate = (time: string | number, zone: TimeZone): string =>
  shownAs(new Date(time).getTime(), zone).toISOString().slice(0, 10);

/** `08:59:38` in the zone. */
export const formatClock = (time: string | number, zone: TimeZone): string =>
  shownAs(new Date(time).getTime(), zone).toISOString().slice(11, 19);

/** The hour of the day that the zone's clock shows, from 0 to 23. */
export const hourOf = (ms: number, zone: TimeZone): number => shownAs(ms, zone).getUTCHours();

/**
 * `2025-04-15 08:59:38.606` in the zone. A time that is not UTC has its offset, `2025-04-15 04:59:38.606 −04:00`, which
 * distinguishes an hour that the clock has twice.
 * @param time ISO 8601, in UTC; SQL Server's seven decimals are more than a Date holds, so they are taken as text
 * @param decimals of the second, at most seven
 */
export function formatTime(time: string, zone: TimeZone, decimals = 0): string {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? '';
  const shown = decimals > 0 ? `.${fraction.slice(0, decimals).padEnd(decimals, '0')}` : '';
  const offset = zone === 'UTC' ? '' : ` ${offsetOf(Date.parse(time), zone)}`;
  return `${formatDate(time, zone)} ${formatClock(time, zone)}${shown}${offset}`;
}

/** The offset of the zone from UTC at a moment, such as `−04:00`. */
export function offsetOf(ms: number, zone: TimeZone = 'local'): string {
  const minutes = Math.round(offsetMs(ms, zone) / MINUTE_MS);
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '−' : '+'}${two(hours)}:${two(rest)}`;
}

/** `America/New_York`, or `UTC`. */
export const zoneName = (zone: TimeZone): string =>
  zone === 'local' ? new Intl.DateTimeFormat().resolvedOptions().timeZone : zone;

/** The IANA names of all zones that the browser knows, but for UTC. */
export const zoneNames = (): readonly string[] =>
  Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC');

const ZONE = /^[A-Za-z][\w+/-]{0,63}$/;

/** The zone of a name that a link or this browser has; null: there is none. */
export function parseZone(name: string | null): TimeZone | null {
  if (name === null || !ZONE.test(name)) return null;
  if (name === 'local' || name === zoneName('local')) return zoneName('local') === 'UTC' ? 'UTC' : 'local';
  try {
    const known = clockOf(name).resolvedOptions().timeZone;
    // A browser may know a zone by an older name.
    return known.toLowerCase() === name.toLowerCase() ? known : name;
  } catch {
    return null;
  }
}

/** The start of an hour of a day in the zone. @param days from today on, `nowMs` being today */
export function dayStart(nowMs: number, zone: TimeZone, days = 0, hour = 0): number {
  const now = shownAs(nowMs, zone);
  const shown = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days, hour);
  return momentOf(shown, zone);
}

/** The start of a quarter of a year in the zone. @param quarters from this one on */
export function quarterStart(nowMs: number, zone: TimeZone, quarters = 0): number {
  const now = shownAs(nowMs, zone);
  const month = (Math.floor(now.getUTCMonth() / 3) + quarters) * 3;
  return momentOf(Date.UTC(now.getUTCFullYear(), month), zone);
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
  const ms = momentOf(Date.parse(`${value}Z`), zone);
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

/** The length of time since a time, as `formatSpan` writes it. */
export const formatSince = (time: string, nowMs: number): string =>
  formatSpan(Math.max(0, nowMs - Date.parse(time)));
