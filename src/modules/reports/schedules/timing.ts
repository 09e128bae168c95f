import { Cron } from 'croner';
import { DAY_MS, HOUR_MS } from '../../../event/event-time';
import { Zone } from '../../../event/zone';
import { type Problem, problem } from '../../../problem';

export const PERIODS = ['schedule', 'hour', 'day', 'week', 'month'] as const;
/** What a run covers: since the run before it, or the newest whole hour, day, week (from Monday) or month. */
export type RunPeriod = (typeof PERIODS)[number];

/** Times that have a name. They leave late events some time to arrive. */
export const EVERY = {
  hourly: { cron: '15 * * * *', period: 'hour' },
  daily: { cron: '0 6 * * *', period: 'day' },
  weekly: { cron: '0 6 * * 1', period: 'week' },
  monthly: { cron: '0 6 1 * *', period: 'month' },
} as const satisfies Record<string, { readonly cron: string; readonly period: RunPeriod }>;
export type Every = keyof typeof EVERY;
export const EVERY_NAMES = Object.keys(EVERY) as Every[];

const BEGINNINGS: Readonly<Record<Exclude<RunPeriod, 'schedule'>, string>> = {
  hour: '0 * * * *',
  day: '0 0 * * *',
  week: '0 0 * * 1',
  month: '0 0 1 * *',
};
/** No change of clocks is larger, except where a country changed its date. */
const CHANGE_MS = 3 * HOUR_MS;
/** Two times of a schedule may not be closer. */
const CLOSEST_MS = HOUR_MS / 4;
const CHECKED_TIMES = 192;
/** The 29th of February comes again after at most eight years. */
const RETURN_MS = 8 * 366 * DAY_MS;
/** The local times are reckoned as if they were in UTC. */
const parsed = (cron: string) => new Cron(cron, { timezone: 'UTC', mode: '5-part', paused: true });

/**
 * The times of an expression, in milliseconds. It says local times. One that the change of clocks leaves out comes at the
 * first moment after the change, and one that comes twice counts the first time.
 */
export class Times {
  readonly #cron: Cron;

  /** @param isMadeUp whether a time that is left out comes at the change, which is a moment, as the next time is */
  constructor(
    cron: string,
    private readonly zone: Zone,
    private readonly isMadeUp: (change: number, next: number) => boolean = () => true,
  ) {
    this.#cron = parsed(cron);
  }

  /** The first time after a moment. */
  next(ms: number): number {
    let local = ms + this.zone.offsetMs(ms) - CHANGE_MS;
    for (;;) {
      local = this.#after(local);
      const instant = this.zone.instantOf(local);
      if (instant > ms && this.#comes(local, instant)) return instant;
    }
  }

  /** The last time at or before a moment. */
  last(ms: number): number {
    let local = ms + this.zone.offsetMs(ms) + CHANGE_MS;
    for (;;) {
      local = this.#before(local);
      const instant = this.zone.instantOf(local);
      if (instant <= ms && this.#comes(local, instant)) return instant;
    }
  }

  #comes(local: number, instant: number): boolean {
    if (instant + this.zone.offsetMs(instant) === local) return true;
    return this.isMadeUp(instant, this.zone.instantOf(this.#after(local)));
  }

  #after(local: number): number {
    const date = this.#cron.nextRun(new Date(local));
    if (!date) throw new Error('the schedule has no next time');
    return date.getTime();
  }

  #before(local: number): number {
    const [date] = this.#cron.previousRuns(1, new Date(local));
    if (!date) throw new Error('the schedule has no time before');
    return date.getTime();
  }
}

/**
 * The times of a schedule. One that is left out is not made up where the next one follows in the same hour: it covers what
 * this one would, with the events that came late.
 */
export const scheduleTimes = (cron: string, zone: Zone): Times =>
  new Times(cron, zone, (change, next) => hourAt(zone, change) !== hourAt(zone, next));
const hourAt = (zone: Zone, ms: number) => Math.floor((ms + zone.offsetMs(ms)) / HOUR_MS);

/** The period of a run that is due at a moment. @param coveredMs the end of what the runs before cover */
export function periodAt(
  { period, zone }: { readonly period: RunPeriod; readonly zone: Zone },
  dueMs: number,
  coveredMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  if (period === 'schedule') return { fromMs: Math.min(coveredMs, dueMs), toMs: dueMs };
  const beginnings = new Times(BEGINNINGS[period], zone);
  const toMs = beginnings.last(dueMs);
  return { fromMs: beginnings.last(toMs - 1), toMs };
}

/** The check of a parameter that is a cron expression. */
export function cronProblems(text: string, field: string): readonly Problem[] {
  const wrong = (why: string) => [problem(field, 'malformed', why)];
  try {
    const cron = parsed(text);
    const times = cron.nextRuns(CHECKED_TIMES, new Date(0)).map((date) => date.getTime());
    const closest = Math.min(...times.slice(1).map((ms, i) => ms - (times[i] ?? 0)));
    if (times.length < 2 || (times[1] ?? 0) - (times[0] ?? 0) > RETURN_MS)
      return wrong('must have times that come again');
    return closest < CLOSEST_MS ? wrong('must not have times closer than 15 minutes') : [];
  } catch {
    return wrong('must be five fields: minute, hour, day of the month, month, day of the week');
  }
}
