import { FILETIME_UNIX_EPOCH } from '../../src/event/event-time';
import type { JsonText } from '../json-text';
import type { Clock } from './package-record';

const TICKS_PER_SECOND = 10_000_000;
const SECONDS_PER_DAY = 86_400;
/** 9999-12-31T23:59:59.9999999Z, the last moment of `datetime2(7)`. */
const FILETIME_MAX = 2_650_467_743_999_999_999n;
const SECONDS_MAX = Number(FILETIME_MAX / BigInt(TICKS_PER_SECOND));
const UNIX_EPOCH_DAYS = Number(FILETIME_UNIX_EPOCH / BigInt(TICKS_PER_SECOND * SECONDS_PER_DAY));

/** UTC text with seven decimals of a FILETIME (100 ns since 1601), or null after the year 9999. */
export function filetimeText(filetime: bigint): string | null {
  if (filetime > FILETIME_MAX) return null;
  const ticksPerSecond = BigInt(TICKS_PER_SECOND);
  return timeText(Number(filetime / ticksPerSecond), Number(filetime % ticksPerSecond));
}

/** The text of the FILETIME at `at`. Every event has one, and arithmetic with two numbers is fast and still exact. */
export function filetimeTextAt(view: DataView, at: number): string | null {
  const high = view.getUint32(at + 4, true);
  if (high >= 2 ** 30) return null;
  // 2^32 ticks are 429 s and 4,967,296 ticks; all products stay below 2^53.
  const ticks = high * 4_967_296 + view.getUint32(at, true);
  const rest = ticks % TICKS_PER_SECOND;
  const seconds = high * 429 + (ticks - rest) / TICKS_PER_SECOND;
  return seconds > SECONDS_MAX ? null : timeText(seconds, rest);
}

/** Writes the FILETIME at `at`, which must not be after the year 9999, as JSON. */
export function writeFiletime(out: JsonText, view: DataView, at: number): void {
  const high = view.getUint32(at + 4, true);
  const ticks = high * 4_967_296 + view.getUint32(at, true);
  const rest = ticks % TICKS_PER_SECOND;
  setText(high * 429 + (ticks - rest) / TICKS_PER_SECOND, rest);
  out.raw(quotedText);
}

/** FILETIME of a tick count of the server's clock; null after the year 9999. */
export function tickTime(clock: Clock, ticks: bigint): bigint | null {
  const ticksPerSecond = BigInt(TICKS_PER_SECOND);
  const elapsed =
    clock.ticksPerSecond === ticksPerSecond ? ticks : (ticks * ticksPerSecond) / clock.ticksPerSecond;
  const time = clock.base + elapsed;
  return time > FILETIME_MAX ? null : time;
}

/** A bound of tick counts: below it, `tickTime` is not null. */
export function soundTicks(clock: Clock): number {
  const left = FILETIME_MAX - clock.base;
  return left < 0n ? 0 : 0.999 * Number((left * clock.ticksPerSecond) / BigInt(TICKS_PER_SECOND));
}

/** Each time is written over the previous text: the day changes rarely, and writing digits costs less than a Date. */
const quotedText = Buffer.from('"1601-01-01T00:00:00.0000000Z"', 'latin1');
const text = quotedText.subarray(1, -1);
let dayOfText = 0;

function timeText(seconds: number, ticks: number): string {
  setText(seconds, ticks);
  return text.toString('latin1');
}

function setText(seconds: number, ticks: number): void {
  const day = Math.floor(seconds / SECONDS_PER_DAY);
  if (day !== dayOfText) {
    text.write(
      new Date((day - UNIX_EPOCH_DAYS) * SECONDS_PER_DAY * 1000).toISOString().slice(0, 10),
      'latin1',
    );
    dayOfText = day;
  }
  const second = seconds - day * SECONDS_PER_DAY;
  writeDigits(Math.floor(second / 3600), 11, 2);
  writeDigits(Math.floor(second / 60) % 60, 14, 2);
  writeDigits(second % 60, 17, 2);
  writeDigits(ticks, 20, 7);
}

function writeDigits(number: number, at: number, digits: number): void {
  let left = number;
  for (let i = at + digits - 1; i >= at; i--) {
    const tenths = Math.floor(left / 10);
    text[i] = 48 + left - 10 * tenths;
    left = tenths;
  }
}
