import { EXPLORE } from '../../dashboard/src/explore/texts';
import {
  boundsOf,
  COMMON_RANGES,
  endsNow,
  fixedRange,
  last,
  parseRange,
  before as periodBefore,
  rangeLabel,
  rangeText,
  scaleRange,
  shiftRange,
  type TimeRange,
} from '../../dashboard/src/explore/time-range';
import { inTimeZone } from '../support/time-zone';

/** The bounds of a range as the reader sees them, to the minute. */
function boundsAt(range: TimeRange, now: string, zone?: string): string {
  const { startTime = '', endTime = '' } = inTimeZone(zone ?? 'Asia/Kathmandu', () =>
    boundsOf(range, Date.parse(now), zone === undefined ? 'UTC' : 'local'),
  );
  return `${startTime.slice(0, 16)} ${endTime.slice(0, 16)}`;
}
const night = (from: number, to: number): TimeRange => ({ kind: 'night', from, to });

describe('last night', () => {
  it.each([
    // Over midnight: the newest night that is over.
    [20, 6, '2026-01-05T10:00Z', '2026-01-04T20:00 2026-01-05T06:00'],
    [20, 6, '2026-01-05T06:00Z', '2026-01-04T20:00 2026-01-05T06:00'],
    [20, 6, '2026-01-05T05:59Z', '2026-01-03T20:00 2026-01-04T06:00'],
    [20, 6, '2026-01-05T23:00Z', '2026-01-04T20:00 2026-01-05T06:00'],
    // Within one day.
    [0, 6, '2026-01-05T10:00Z', '2026-01-05T00:00 2026-01-05T06:00'],
    [0, 6, '2026-01-05T03:00Z', '2026-01-04T00:00 2026-01-04T06:00'],
    [18, 23, '2026-01-05T22:00Z', '2026-01-04T18:00 2026-01-04T23:00'],
    [18, 23, '2026-01-05T23:30Z', '2026-01-05T18:00 2026-01-05T23:00'],
    // Until midnight.
    [22, 0, '2026-01-05T00:00Z', '2026-01-04T22:00 2026-01-05T00:00'],
    [22, 0, '2026-01-05T23:59Z', '2026-01-04T22:00 2026-01-05T00:00'],
    // Over the end of a month and of a year.
    [20, 6, '2026-03-01T07:00Z', '2026-02-28T20:00 2026-03-01T06:00'],
    [20, 6, '2026-01-01T05:00Z', '2025-12-30T20:00 2025-12-31T06:00'],
  ])('from %i to %i o’clock, seen at %s', (from, to, now, bounds) => {
    expect(boundsAt(night(from, to), now)).toBe(bounds);
  });

  it('is a night of the zone, an hour shorter or longer where its clock changes', () => {
    const [from, to] = [20, 6];
    expect(boundsAt(night(from, to), '2026-03-29T12:00Z', 'Europe/Berlin')).toBe(
      '2026-03-28T19:00 2026-03-29T04:00',
    );
    expect(boundsAt(night(from, to), '2026-10-25T12:00Z', 'Europe/Berlin')).toBe(
      '2026-10-24T18:00 2026-10-25T05:00',
    );
    expect(boundsAt(night(from, to), '2026-01-05T10:59Z', 'America/New_York')).toBe(
      '2026-01-04T01:00 2026-01-04T11:00',
    );
    expect(boundsAt(night(from, to), '2026-01-05T11:00Z', 'America/New_York')).toBe(
      '2026-01-05T01:00 2026-01-05T11:00',
    );
  });
});

describe('a time range', () => {
  it.each([
    [last(15, 'm'), '2026-01-05T09:45 2026-01-05T10:00'],
    [last(24, 'h'), '2026-01-04T10:00 2026-01-05T10:00'],
    [last(7, 'd'), '2025-12-29T10:00 2026-01-05T10:00'],
    [{ kind: 'today' }, '2026-01-05T00:00 2026-01-05T10:00'],
    [{ kind: 'yesterday' }, '2026-01-04T00:00 2026-01-05T00:00'],
    [{ kind: 'quarter' }, '2025-10-01T00:00 2026-01-01T00:00'],
    [{ kind: 'all' }, ' '],
    [fixedRange(0, 60_000), '1970-01-01T00:00 1970-01-01T00:01'],
  ] as [TimeRange, string][])('%j is seen from now', (range, bounds) => {
    expect(boundsAt(range, '2026-01-05T10:00Z')).toBe(bounds);
    expect(endsNow(range)).toBe(range.kind === 'last' || range.kind === 'today');
  });

  it('of a day is a day of the zone', () => {
    expect(boundsAt({ kind: 'yesterday' }, '2026-03-30T12:00Z', 'Europe/Berlin')).toBe(
      '2026-03-28T23:00 2026-03-29T22:00',
    );
    expect(boundsAt({ kind: 'quarter' }, '2026-10-01T12:00Z', 'Europe/Berlin')).toBe(
      '2026-06-30T22:00 2026-09-30T22:00',
    );
    expect(boundsAt({ kind: 'quarter' }, '2026-03-31T12:00Z')).toBe('2025-10-01T00:00 2026-01-01T00:00');
    expect(boundsAt({ kind: 'today' }, '2026-01-05T03:00Z', 'America/New_York')).toBe(
      '2026-01-04T05:00 2026-01-05T03:00',
    );
  });

  it('has one text in the address, and every other text is none', () => {
    for (const range of [
      ...COMMON_RANGES,
      night(20, 6),
      night(0, 23),
      last(9_999, 'm'),
      { kind: 'today' } as const,
    ])
      expect(parseRange(rangeText(range))).toEqual(range);
    expect(rangeText(fixedRange(0, 1))).toBeNull();
    for (const text of [
      '0h',
      '10000h',
      '1w',
      'night-20-20',
      'night-24-6',
      'night-6-24',
      'night-6',
      'now',
      '',
      null,
    ])
      expect(parseRange(text)).toBeNull();
  });

  it('has a name for its reader', () => {
    expect(
      [last(1, 'h'), last(2, 'd'), night(20, 6), { kind: 'all' } as const, fixedRange(0, 1)].map((range) =>
        rangeLabel(range, EXPLORE),
      ),
    ).toEqual([...['Last hour', 'Last 2 days', 'Last night (20:00–06:00)', 'All time', null]]);
  });

  it('has a period of the same length before it, if both ends are known', () => {
    expect(periodBefore({ startTime: '2026-01-05T08:00:00Z', endTime: '2026-01-05T10:00:00Z' })).toEqual({
      startTime: '2026-01-05T06:00:00.000Z',
      endTime: '2026-01-05T08:00:00.000Z',
    });
    const at = '2026-01-05T08:00:00Z';
    for (const range of [{}, { startTime: at }, { endTime: at }, { startTime: at, endTime: at }])
      expect(periodBefore(range)).toBeNull();
  });

  it('is zoomed around its middle, to a second at least, and moved by half its length', () => {
    const [from, to] = [Date.parse('2026-01-05T08:00:00Z'), Date.parse('2026-01-05T10:00:00Z')];
    const HALF_HOUR = 30 * 60_000;
    expect(scaleRange(from, to, 0.5)).toEqual(fixedRange(from + HALF_HOUR, to - HALF_HOUR));
    expect(scaleRange(from, to, 2)).toEqual(fixedRange(from - 2 * HALF_HOUR, to + 2 * HALF_HOUR));
    expect(scaleRange(1_000, 2_000, 0.5)).toEqual(fixedRange(1_000, 2_000));
    expect(shiftRange(from, to, -1)).toEqual(fixedRange(from - 2 * HALF_HOUR, from + 2 * HALF_HOUR));
    expect(shiftRange(from, to, 1)).toEqual(fixedRange(to - 2 * HALF_HOUR, to + 2 * HALF_HOUR));
  });
});
