import { type Tick, ticksOf } from '../../dashboard/src/explore/histogram-ticks';
import { inTimeZone } from '../support/time-zone';

const [HOUR, DAY] = [3600, 86_400];

/** The bars of a range, as the service cuts them: at multiples of their width since 1970. */
function barsOf(from: string, to: string, bucketSeconds: number) {
  const widthMs = bucketSeconds * 1000;
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const buckets: { start: string }[] = [];
  for (let ms = Math.floor(fromMs / widthMs) * widthMs; ms < toMs; ms += widthMs)
    buckets.push({ start: new Date(Math.max(ms, fromMs)).toISOString() });
  return { buckets, bucketSeconds };
}

/** The date and clock of a moment, by another way than the page's own. */
function clockIn(timeZone: string, ms: number): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return format.format(ms);
}

const labels = (ticks: readonly Tick[]) => ticks.map(({ label }) => label);
const starts = (ticks: readonly Tick[]) => ticks.map(({ ms }) => new Date(ms).toISOString().slice(0, 16));

/** Days around a change of the clock, each from local midnight of its first day. */
const CHANGES = [
  ['Europe/Berlin', '2025-03-29T23:00:00Z', '2025-04-05T22:00:00Z'],
  ['Europe/Berlin', '2025-10-25T22:00:00Z', '2025-11-01T23:00:00Z'],
  ['Australia/Sydney', '2025-10-04T14:00:00Z', '2025-10-11T13:00:00Z'],
  ['Australia/Sydney', '2025-04-05T13:00:00Z', '2025-04-12T14:00:00Z'],
  ['America/New_York', '2025-03-09T05:00:00Z', '2025-03-16T04:00:00Z'],
  ['America/New_York', '2025-11-02T04:00:00Z', '2025-11-09T05:00:00Z'],
  // Apia had no 30 December 2011.
  ['Pacific/Apia', '2011-12-28T10:00:00Z', '2012-01-04T10:00:00Z'],
  ['Asia/Kathmandu', '2025-03-29T18:15:00Z', '2025-04-05T18:15:00Z'],
  ['UTC', '2025-03-30T00:00:00Z', '2025-04-06T00:00:00Z'],
] as const;

describe('the ticks below the histogram', () => {
  it('stand at days of the zone where the service cuts the bars there', () => {
    const buckets = ['2025-03-28T10:00', '2025-03-28T23:00', '2025-03-29T23:00', '2025-03-30T22:00'].map(
      (time) => ({
        start: `${time}:00Z`,
      }),
    );
    const bars = { buckets, bucketSeconds: DAY, timeZone: 'Europe/Berlin' };
    expect(labels(ticksOf(bars, 'Europe/Berlin', HOUR))).toEqual(['2025-03-29', '2025-03-30', '2025-03-31']);
    expect(ticksOf({ ...bars, timeZone: null }, 'Europe/Berlin', HOUR)).toHaveLength(1);
  });

  it.each(CHANGES)(
    'in %s from %s on tell the date and time at which the bar above begins',
    (zone, from, to) => {
      for (const seconds of [HOUR, 3 * HOUR, 6 * HOUR, DAY]) {
        for (const atLeastMs of [
          seconds * 1000,
          5 * HOUR * 1000,
          6 * HOUR * 1000,
          12 * HOUR * 1000,
          11 * HOUR * 1000,
          2.5 * DAY * 1000,
        ]) {
          const bars = barsOf(from, to, seconds);
          const ticks = inTimeZone(zone, () => ticksOf(bars, 'local', atLeastMs));
          expect(ticks.length).toBeGreaterThan(0);
          let date = '';
          for (const [i, { ms, label }] of ticks.entries()) {
            expect(bars.buckets.map(({ start }) => Date.parse(start))).toContain(ms);
            const [clock, named = date] = /^\d{4}-/.test(label) ? ['00:00', label] : label.split('\n');
            date = named;
            expect(`${named} ${clock}`).toBe(clockIn(zone, ms).slice(0, 16));
            if (i > 0) expect(ms - (ticks[i - 1]?.ms ?? 0)).toBeGreaterThanOrEqual(atLeastMs);
          }
        }
      }
    },
  );

  it('name the first day of Berlin’s summer time by its own date', () => {
    const bars = barsOf('2025-03-29T23:00:00Z', '2025-04-02T22:00:00Z', 6 * HOUR);
    const ticks = inTimeZone('Europe/Berlin', () => ticksOf(bars, 'local', DAY * 1000));
    expect(labels(ticks)).toEqual([
      ...['01:00\n2025-03-30', '02:00\n2025-03-31', '02:00\n2025-04-01', '02:00\n2025-04-02'],
    ]);
  });

  it('stand at round times of the zone, on both sides of a change of its clock', () => {
    const bars = barsOf('2025-03-29T23:00:00Z', '2025-03-30T22:00:00Z', HOUR);
    const ticks = inTimeZone('Europe/Berlin', () => ticksOf(bars, 'local', 2 * HOUR * 1000));
    expect(labels(ticks)).toEqual([
      ...['00:00\n2025-03-30', '04:00', '06:00', '08:00', '10:00', '12:00', '14:00'],
      ...['16:00', '18:00', '20:00', '22:00'],
    ]);
  });

  it('are only dates where each stands at midnight, and have seconds where they differ by seconds', () => {
    const days = ticksOf(barsOf('2025-03-30T00:00:00Z', '2025-04-02T00:00:00Z', DAY), 'UTC', DAY * 1000);
    expect(labels(days)).toEqual(['2025-03-30', '2025-03-31', '2025-04-01']);
    const hours = ticksOf(
      barsOf('2025-03-30T22:00:00Z', '2025-03-31T02:00:00Z', HOUR),
      'UTC',
      2 * HOUR * 1000,
    );
    expect(labels(hours)).toEqual(['22:00\n2025-03-30', '00:00\n2025-03-31']);
    const seconds = ticksOf(barsOf('2025-03-30T23:59:50Z', '2025-03-31T00:00:01Z', 1), 'UTC', 4_000);
    expect(labels(seconds)).toEqual(['23:59:50\n2025-03-30', '23:59:55', '00:00:00\n2025-03-31']);
    const minutes = ticksOf(barsOf('2025-03-30T22:00:00Z', '2025-03-30T22:02:00Z', 10), 'UTC', 50_000);
    expect(labels(minutes)).toEqual(['22:00\n2025-03-30', '22:01']);
  });

  it('stand at the begin of whole bars, and at that of the range where it has no other', () => {
    const cut = barsOf('2025-03-30T00:20:00Z', '2025-03-30T03:00:00Z', HOUR);
    expect(starts(ticksOf(cut, 'UTC', HOUR * 1000))).toEqual(['2025-03-30T01:00', '2025-03-30T02:00']);
    const one = barsOf('2025-03-30T00:20:00Z', '2025-03-30T00:40:00Z', HOUR);
    expect(labels(ticksOf(one, 'UTC', HOUR * 1000))).toEqual(['00:20\n2025-03-30']);
    expect(ticksOf({ buckets: [], bucketSeconds: HOUR }, 'UTC', 1)).toEqual([]);
  });

  it('are as many as have room, also where bars are wider than any usual step', () => {
    const wide = 728 * DAY;
    const bars = barsOf('1990-01-01T00:00:00Z', '2030-01-01T00:00:00Z', wide);
    const [first, second] = ticksOf(bars, 'UTC', 2.5 * wide * 1000);
    expect((second?.ms ?? 0) - (first?.ms ?? 0)).toBe(3 * wide * 1000);
  });
});
