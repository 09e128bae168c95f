import { Weighted } from './random';

const HOUR_MS = 3_600_000;
export const DAYS = 90;
/** The first moment of the data, a Tuesday. It is fixed, so that the same data is made on any day. */
export const START_MS = Date.UTC(2025, 8, 2);
export const END_MS = START_MS + DAYS * 24 * HOUR_MS;
const EVENTS_PER_DAY = 20_000_000 / DAYS;

/** Work begins at eight and ends at six; batch jobs run at two in the night. UTC, as audit times are. */
const BY_HOUR = [3, 2, 6, 2, 2, 2, 3, 6, 12, 16, 16, 15, 11, 14, 16, 15, 13, 9, 6, 5, 4, 4, 3, 3];
/** The weights of the days of the week, Sunday first. */
const BY_WEEKDAY = [0.25, 1, 1.05, 1, 1, 0.9, 0.3];

/** Event times in order. Their density follows the hours of the day and the days of the week. */
export class Calendar {
  readonly #hours: Weighted;
  readonly #prefixes: readonly string[];

  /** @param days makes only the last days, for data as dense as that of the whole time */
  constructor(
    days = DAYS,
    private readonly startMs = END_MS - days * 24 * HOUR_MS,
  ) {
    const starts = Array.from({ length: days * 24 }, (_, hour) => new Date(startMs + hour * HOUR_MS));
    this.#hours = new Weighted(
      starts.map((at) => (BY_HOUR[at.getUTCHours()] ?? 1) * (BY_WEEKDAY[at.getUTCDay()] ?? 1)),
    );
    this.#prefixes = starts.map((at) => at.toISOString().slice(0, 14));
  }

  /** The last days, as many as make the events as dense as 20 million in the whole time. */
  static denseFor(events: number): Calendar {
    return new Calendar(Math.ceil(events / EVENTS_PER_DAY));
  }

  /** The time at a quantile of all events, ISO with seven decimals. */
  timeAt(quantile: number): string {
    const hour = this.#hours.at(quantile);
    const ticks = Math.floor(this.#hours.within(hour, quantile) * HOUR_MS * 10_000);
    const seconds = Math.floor(ticks / 10_000_000);
    const fraction = ticks - seconds * 10_000_000;
    const prefix = this.#prefixes[hour] ?? new Date(this.startMs).toISOString().slice(0, 14);
    return `${prefix}${two(Math.floor(seconds / 60))}:${two(seconds % 60)}.${String(fraction).padStart(7, '0')}Z`;
  }
}

const TWO = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
const two = (n: number) => TWO[n] ?? '00';
