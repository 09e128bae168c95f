import { HOUR_MS } from '../../event/event-time';

const MINUTE_MS = 60_000;
/** The ends of the classes of lags, in milliseconds. The last class has no end. */
const CLASS_ENDS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4, 8, 24, 48, 168].map((hours) => hours * HOUR_MS),
];
/** An agent reports at least every minute. After this time without a report its source falls behind. */
const UNREPORTED_MS = 2 * MINUTE_MS;
/** Of a longer silence, its last part is noted. */
const NOTED_MAX_MS = 31 * 24 * HOUR_MS;

/** The minutes of an hour in which the lag of a source was of a class. */
export interface LagMinutes {
  /** The beginning of the hour, in milliseconds since 1970. */
  readonly hourMs: number;
  readonly lagClass: number;
  readonly minutes: number;
  readonly worstMs: number;
}

/** What is known of a source by a report; times are in milliseconds since 1970. */
export interface LagPoint {
  readonly atMs: number;
  /** When everything in the files was published; null: never yet. */
  readonly caughtUpMs: number | null;
}

/**
 * The lag at each minute between two reports, and at the second one. While no report comes, the lag grows from the first.
 * @param before null: there is none, or the source was retired since
 * @param after null: no second report has come until `untilMs`
 */
export function minutesBetween(
  before: LagPoint | null,
  after: LagPoint | null,
  untilMs = after?.atMs ?? 0,
): readonly LagMinutes[] {
  const noted = new Map<string, LagMinutes>();
  const note = (atMs: number, lagMs: number, minutes: number) => {
    const hourMs = floorTo(HOUR_MS, atMs);
    const worstMs = Math.max(0, Math.round(lagMs));
    const lagClass = classOf(worstMs);
    const key = `${hourMs} ${lagClass}`;
    const own = noted.get(key);
    noted.set(key, {
      hourMs,
      lagClass,
      minutes: (own?.minutes ?? 0) + minutes,
      worstMs: Math.max(own?.worstMs ?? 0, worstMs),
    });
  };
  const fromMs = before === null ? untilMs - MINUTE_MS : Math.max(before.atMs, untilMs - NOTED_MAX_MS);
  const first = floorTo(MINUTE_MS, fromMs) + MINUTE_MS;
  const last = floorTo(MINUTE_MS, untilMs);
  // Several reports within a minute are one.
  if (first > last) return [];
  const isSilent = before !== null && untilMs - before.atMs > UNREPORTED_MS;
  if (isSilent && before.caughtUpMs !== null) {
    const { caughtUpMs } = before;
    const end = after ? last - MINUTE_MS : last;
    // The lag grows with the time, so the minutes of an hour in which it is of one class follow each other.
    for (let at = first; at <= end; ) {
      const classEndMs = CLASS_ENDS_MS[classOf(at - caughtUpMs)] ?? Number.POSITIVE_INFINITY;
      const lastOfClass = floorTo(MINUTE_MS, Math.round(caughtUpMs) + classEndMs);
      const upTo = Math.min(end, floorTo(HOUR_MS, at) + HOUR_MS - MINUTE_MS, Math.max(at, lastOfClass));
      note(upTo, upTo - caughtUpMs, (upTo - at) / MINUTE_MS + 1);
      at = upTo + MINUTE_MS;
    }
    if (after) note(untilMs, untilMs - caughtUpMs, 0);
  }
  const caughtUpMs = after && Math.max(after.caughtUpMs ?? 0, before?.caughtUpMs ?? 0);
  if (caughtUpMs) note(untilMs, untilMs - caughtUpMs, 1);
  return [...noted.values()];
}

const floorTo = (step: number, ms: number): number => Math.floor(ms / step) * step;

const classOf = (lagMs: number): number => {
  const found = CLASS_ENDS_MS.findIndex((end) => lagMs <= end);
  return found === -1 ? CLASS_ENDS_MS.length : found;
};

/** How far a source was behind over a period, in seconds. Null: nothing was noted. */
export interface LagFigures {
  readonly minutes: number;
  /** Half of the minutes, and 99 of 100, had at most this lag. */
  readonly p50Seconds: number | null;
  readonly p99Seconds: number | null;
  readonly worstSeconds: number | null;
}

export function figuresOf(
  noted: readonly Pick<LagMinutes, 'lagClass' | 'minutes' | 'worstMs'>[],
): LagFigures {
  const total = noted.reduce((sum, { minutes }) => sum + minutes, 0);
  const worstMs = noted.reduce((worst, one) => Math.max(worst, one.worstMs), 0);
  const sorted = noted.toSorted((a, b) => a.lagClass - b.lagClass);
  const quantile = (share: number) => {
    let seen = 0;
    for (const { lagClass, minutes } of sorted) {
      seen += minutes;
      if (seen >= share * total) return Math.min(CLASS_ENDS_MS[lagClass] ?? worstMs, worstMs) / 1_000;
    }
    return worstMs / 1_000;
  };
  return total === 0
    ? { minutes: 0, p50Seconds: null, p99Seconds: null, worstSeconds: null }
    : {
        minutes: total,
        p50Seconds: quantile(0.5),
        p99Seconds: quantile(0.99),
        worstSeconds: worstMs / 1_000,
      };
}
