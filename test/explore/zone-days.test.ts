import { parseTicks } from '../../src/event/event-time';
import { Zone } from '../../src/event/zone';
import { bucketsOfDays, fittingDays, zoneDays } from '../../src/modules/explore/zone-days';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const rangeOf = (from: string, to: string) => ({ from: parseTicks(from) ?? 0n, to: parseTicks(to) ?? 0n });
const textOf = (ticks: bigint) => `${new Date(Number(ticks / 10_000n)).toISOString().slice(0, 16)}Z`;
const startsOf = (zone: string, from: string, to: string, days = 1) =>
  zoneDays(rangeOf(from, to), days * DAY_MS, new Zone(zone))?.starts.map(textOf);

describe('buckets of days of a time zone', () => {
  it('begin at midnight there, also where clocks are changed', () => {
    expect(startsOf('Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-30T22:00:00Z')).toEqual([
      '2026-03-27T23:00Z',
      '2026-03-28T23:00Z',
      '2026-03-29T22:00Z',
    ]);
    expect(startsOf('Asia/Kathmandu', '2026-01-05T18:15:00Z', '2026-01-06T18:15:00.0000001Z')).toEqual([
      '2026-01-05T18:15Z',
      '2026-01-06T18:15Z',
    ]);
  });

  it('have no bucket for a date that a zone left out', () => {
    expect(startsOf('Pacific/Apia', '2011-12-29T12:00:00Z', '2011-12-31T12:00:00Z')).toEqual([
      '2011-12-29T10:00Z',
      '2011-12-30T10:00Z',
      '2011-12-31T10:00Z',
    ]);
  });

  it('of several days stay where they are when the range moves', () => {
    const of = (from: string) => startsOf('America/New_York', from, '2026-02-01T00:00:00Z', 7);
    expect(of('2026-01-10T00:00:00Z')).toEqual(of('2026-01-09T00:00:00Z'));
  });

  it('are not made of more small buckets than the limit, nor where no quarter of an hour is a border', () => {
    expect(startsOf('Europe/Berlin', '2026-01-01T00:00:00Z', '2028-04-13T07:00:00Z', 14)).toHaveLength(60);
    expect(startsOf('Europe/Berlin', '2026-01-01T00:00:00Z', '2028-04-13T09:00:00Z', 14)).toBeUndefined();
    expect(startsOf('Africa/Monrovia', '1970-01-01T00:00:00Z', '1970-01-03T00:00:00Z')).toBeUndefined();
  });

  it('are not looked for in a range that has too many of them, which would keep all other callers waiting', () => {
    const zone = new Zone('Europe/Berlin');
    const looks = jest.spyOn(zone, 'offsetMs');
    expect(zoneDays(rangeOf('1900-01-01T00:00:00Z', '2100-01-01T00:00:00Z'), DAY_MS, zone)).toBeNull();
    expect(looks).not.toHaveBeenCalled();
  });

  it('are no more than there may be, although the days of a zone may be one more than those of UTC', () => {
    const zone = new Zone('Europe/Berlin');
    const fitted = (from: string, bucketsMax: number, width = DAY_MS) => {
      const found = fittingDays(rangeOf(from, '2026-01-15T00:00:00Z'), { width, bucketsMax, zone });
      return found && [found.widthMs / DAY_MS, found.days.starts.length];
    };
    // Ten days of UTC touch eleven of the zone.
    expect(fitted('2026-01-05T00:00:00Z', 11)).toEqual([1, 11]);
    expect(fitted('2026-01-05T00:00:00Z', 10)).toEqual([2, 6]);
    expect(fitted('2026-01-05T00:00:00Z', 10, 12 * HOUR_MS)).toBeNull();
    for (let bucketsMax = 1; bucketsMax < 40; bucketsMax++)
      expect(fitted('2025-12-17T00:00:00Z', bucketsMax)?.[1]).toBeLessThanOrEqual(bucketsMax);
  });

  it('count what lies within the day and the range', () => {
    const range = rangeOf('2026-01-05T12:30:00Z', '2026-01-06T23:30:00Z');
    const days = zoneDays(range, DAY_MS, new Zone('Europe/Berlin'));
    if (!days) throw new Error('these days can be counted');
    const hour = (time: string) => Date.parse(time) / HOUR_MS;
    const counted = new Map([
      [hour('2026-01-05T12:00:00Z'), { succeeded: 1, failed: 0 }],
      [hour('2026-01-05T22:00:00Z'), { succeeded: 2, failed: 1 }],
      [hour('2026-01-05T23:00:00Z'), { succeeded: 4, failed: 0 }],
      [hour('2026-01-06T22:00:00Z'), { succeeded: 8, failed: 0 }],
      [hour('2026-01-06T23:00:00Z'), { succeeded: 16, failed: 5 }],
    ]);
    const buckets = bucketsOfDays(range, days, counted);
    expect(
      buckets.map(({ from, to, succeeded, failed }) => [textOf(from), textOf(to), succeeded, failed]),
    ).toEqual([
      ['2026-01-05T12:30Z', '2026-01-05T23:00Z', 3, 1],
      ['2026-01-05T23:00Z', '2026-01-06T23:00Z', 12, 0],
      ['2026-01-06T23:00Z', '2026-01-06T23:30Z', 16, 5],
    ]);
  });
});
