/**
 * Event times are kept as whole 100 ns steps ("ticks") since 1970-01-01T00:00:00Z, as a bigint: neither a
 * JavaScript date (ms) nor a PostgreSQL timestamp (µs) holds the seven decimals of SQL Server's `datetime2(7)`.
 */
export const TICKS_PER_MS = 10_000n;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** The last time that texts can state: years have four digits. */
export const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
export const LAST_TICKS = BigInt(LAST_MS + 1) * TICKS_PER_MS - 1n;
const FIRST_TICKS = BigInt(Date.parse('0000-01-01T00:00:00Z')) * TICKS_PER_MS;
/** 100 ns steps between FILETIME's epoch (1601-01-01) and 1970-01-01. */
export const FILETIME_UNIX_EPOCH = 116_444_736_000_000_000n;

/** Division that rounds down, below 0 too. @param b above 0 */
export const floorDiv = (a: bigint, b: bigint) => (a % b < 0n ? a / b - 1n : a / b);
export const ceilDiv = (a: bigint, b: bigint) => -floorDiv(-a, b);

/** `2026-11-19T23:59:56.8651234Z`. @throws RangeError outside years 0000 to 9999. */
export function formatTicks(ticks: bigint): string {
  const ms = floorDiv(ticks, TICKS_PER_MS);
  const rest = ticks - ms * TICKS_PER_MS;
  const iso = new Date(Number(ms)).toISOString();
  if (iso.length !== 24) throw new RangeError(`event time out of range: ${iso}`);
  return `${iso.slice(0, 23)}${rest.toString().padStart(4, '0')}Z`;
}

/** The nearest time that texts can state. An offset, or a further decimal, leads out of these years. */
export const clampTicks = (ticks: bigint): bigint =>
  ticks < FIRST_TICKS ? FIRST_TICKS : ticks > LAST_TICKS ? LAST_TICKS : ticks;

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,30}))?)?(Z|z|[+-]\d\d(?::?\d\d)?)?)?$/;

/**
 * Ticks of an ISO 8601 date or date and time; without an offset it is UTC. Decimals beyond the seventh are
 * rounded up, so that a half-open range compares exactly with event times, which have seven.
 * @returns null when the text is no such time.
 */
export function parseTicks(text: string): bigint | null {
  if (USUAL.test(text)) return parseUsual(text);
  const m = TIME.exec(text);
  if (!m) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = m;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`);
  if (Number.isNaN(ms) || hour === '24') return null;
  // Date.parse rolls 30 February over to March; a day that does not exist is a mistake, not a later day.
  if (new Date(ms).getUTCDate() !== Number(day)) return null;
  const offsetMinutes = parseOffset(zone);
  if (offsetMinutes === null) return null;
  const digits = fraction.padEnd(7, '0');
  const roundUp = /[1-9]/.test(digits.slice(7)) ? 1n : 0n;
  return BigInt(ms - offsetMinutes * 60_000) * TICKS_PER_MS + BigInt(digits.slice(0, 7)) + roundUp;
}

/**
 * The millisecond since 1970 of a time that was checked as a parameter. `Date.parse` would take a time without an offset
 * for one of the machine's zone, and does not read every form.
 */
export const msOfTime = (text: string): number => Number(floorDiv(parseTicks(text) ?? 0n, TICKS_PER_MS));

/** The form of times that the decoder writes. Most texts have it, so it is parsed without splitting. */
const USUAL = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\d\.\d{7}Z$/;

function parseUsual(text: string): bigint | null {
  const ms = Date.parse(`${text.slice(0, 23)}Z`);
  if (Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(text.slice(8, 10))) return null;
  return BigInt(ms) * TICKS_PER_MS + BigInt(Number(text.slice(23, 27)));
}

function parseOffset(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes);
}
