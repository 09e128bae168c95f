import { type Problem, problem } from '../problem';
import { DAY_MS, HOUR_MS } from './event-time';

/** No time zone changes its clocks within a quarter of an hour. */
const QUARTER_MS = HOUR_MS / 4;
const REMEMBERED_MAX = 10_000;

/** The local times of an IANA time zone. */
export class Zone {
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();
  /** Most questions are about UTC, and a look at the library takes microseconds. */
  readonly #isUtc: boolean;
  /** The last stretch that was named: neighbouring events often have the same one. */
  readonly #last = { unit: '', at: Number.NaN, name: '' };

  /** @throws RangeError when there is no such time zone */
  constructor(readonly name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      timeZoneName: 'longOffset',
      year: 'numeric',
    });
    this.#isUtc = this.#format.resolvedOptions().timeZone === 'UTC';
  }

  /** Milliseconds by which the local time is ahead of UTC. */
  offsetMs(ms: number): number {
    if (this.#isUtc) return 0;
    const quarter = Math.floor(ms / QUARTER_MS);
    const known = this.#offsets.get(quarter);
    if (known !== undefined) return known;
    const text = this.#format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d\d):(\d\d)/.exec(text) ?? [];
    const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
    if (this.#offsets.size >= REMEMBERED_MAX) this.#offsets.clear();
    this.#offsets.set(quarter, offset);
    return offset;
  }

  /**
   * The moment of a local time, both in milliseconds: the first one of a local time that comes twice. A local time that
   * the change of clocks leaves out has the moment of the change.
   */
  instantOf(localMs: number): number {
    const offsets = [-2, 2].map((days) => this.offsetMs(localMs + days * DAY_MS));
    const moments = offsets.map((offset) => localMs - offset).sort((a, b) => a - b);
    const [first = localMs, last = localMs] = moments;
    const found = moments.find((ms) => this.#localMs(ms) === localMs);
    if (found !== undefined) return found;
    // The clocks change between these two.
    let [before, after] = [Math.floor(first / QUARTER_MS), Math.ceil(last / QUARTER_MS)];
    while (after - before > 1) {
      const middle = (before + after) >> 1;
      if (this.#localMs(middle * QUARTER_MS) > localMs) after = middle;
      else before = middle;
    }
    return after * QUARTER_MS;
  }

  /** The hour of the day, 0 to 23. */
  hourOf(ms: number): number {
    return Math.floor(this.#localMs(ms) / HOUR_MS) % 24;
  }

  /** The day of the week, 0 (Sunday) to 6, and the minute of the day, 0 to 1,439. */
  momentOf(ms: number): { readonly weekday: number; readonly minute: number } {
    const local = this.#localMs(ms);
    const minute = Math.floor((((local % DAY_MS) + DAY_MS) % DAY_MS) / 60_000);
    return { weekday: new Date(local).getUTCDay(), minute };
  }

  /** The local day, hour or month, such as `2026-01-05`, `2026-01-05 08:00` or `2026-01`. */
  stretchOf(ms: number, unit: Stretch): string {
    const localMs = this.#localMs(ms);
    const at = Math.floor(localMs / (unit === 'hour' ? HOUR_MS : DAY_MS));
    const last = this.#last;
    if (at !== last.at || unit !== last.unit) {
      const text = new Date(localMs).toISOString();
      const chars = unit === 'month' ? 7 : 10;
      last.name = unit === 'hour' ? `${text.slice(0, 10)} ${text.slice(11, 13)}:00` : text.slice(0, chars);
      [last.at, last.unit] = [at, unit];
    }
    return last.name;
  }

  /** A local time with its offset, such as `2026-01-05 09:00:00.123 +01:00`. */
  format(ms: number): string {
    const minutes = this.offsetMs(ms) / 60_000;
    const text = new Date(this.#localMs(ms)).toISOString();
    const two = (n: number) => String(Math.floor(n)).padStart(2, '0');
    const offset = `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
    return `${text.slice(0, 10)} ${text.slice(11, 23)} ${offset}`;
  }

  #localMs(ms: number): number {
    return ms + this.offsetMs(ms);
  }
}

export type Stretch = 'hour' | 'day' | 'month';
const HOURLY_MAX_MS = 3 * DAY_MS;
const DAILY_MAX_MS = 366 * DAY_MS;

/** The stretches into which a period of this length is divided. */
export const stretchFor = (lengthMs: number): Stretch =>
  lengthMs <= HOURLY_MAX_MS ? 'hour' : lengthMs <= DAILY_MAX_MS ? 'day' : 'month';

/** The check of a parameter that names a time zone. */
export function zoneProblems(name: string, field: string): readonly Problem[] {
  try {
    new Zone(name);
    return [];
  } catch {
    return [problem(field, 'malformed', 'must be an IANA time zone such as Europe/Berlin')];
  }
}
