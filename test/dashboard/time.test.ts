import fc from 'fast-check';
import {
  dayStart,
  formatClock,
  formatSince,
  formatSpan,
  formatTime,
  fromInputValue,
  HOUR_MS,
  hourOf,
  offsetOf,
  parseZone,
  toInputValue,
} from '../../dashboard/src/lib/time';
import { inTimeZone } from '../support/time-zone';

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

describe('a time that a person types', () => {
  it.each([
    ['Europe/Berlin', '2026-07-01T12:00', '2026-07-01T10:00:00.000Z'],
    ['Europe/Berlin', '2026-01-01T12:00:05', '2026-01-01T11:00:05.000Z'],
    ['America/New_York', '2026-07-01T12:00', '2026-07-01T16:00:00.000Z'],
    ['Asia/Kathmandu', '2026-07-01T00:00', '2026-06-30T18:15:00.000Z'],
  ])('is that of the clock in %s where local times are shown: %s', (zone, typed, moment) => {
    expect(inTimeZone(zone, () => iso(fromInputValue(typed, 'local')))).toBe(moment);
    expect(inTimeZone(zone, () => fromInputValue(toInputValue(Date.parse(moment), 'local'), 'local'))).toBe(
      Date.parse(moment),
    );
  });

  it('is UTC where UTC is shown, wherever its reader is', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York']) {
      expect(inTimeZone(zone, () => iso(fromInputValue('2026-07-01T12:00', 'UTC')))).toBe(
        '2026-07-01T12:00:00.000Z',
      );
      expect(inTimeZone(zone, () => toInputValue(Date.parse('2026-07-01T12:00:05Z'), 'UTC'))).toBe(
        '2026-07-01T12:00:05',
      );
    }
  });

  it.each([
    ['Europe/Berlin', '2026-07-01T12:00', '2026-07-01T10:00:00.000Z'],
    // The clock shows 02:30 twice, and on another day not at all.
    ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    ['America/St_Johns', '2026-01-05T04:30', '2026-01-05T08:00:00.000Z'],
    ['Asia/Kathmandu', '2026-07-01T00:00', '2026-06-30T18:15:00.000Z'],
    ['Pacific/Apia', '2011-12-31T00:00', '2011-12-30T10:00:00.000Z'],
  ])('is that of the clock in %s by its name, wherever the reader is: %s', (zone, typed, moment) => {
    for (const reader of ['America/New_York', 'Asia/Kathmandu'])
      expect(inTimeZone(reader, () => iso(fromInputValue(typed, zone)))).toBe(moment);
    // Of any zone, it is the same as for a browser in it.
    expect(inTimeZone(zone, () => iso(fromInputValue(typed, 'local')))).toBe(moment);
  });

  it('is the time that is shown, in any zone and year', () => {
    const zones = fc.constantFrom(
      'Europe/Berlin',
      'America/St_Johns',
      'Asia/Kathmandu',
      'Pacific/Apia',
      'Africa/Casablanca',
    );
    const seconds = fc.integer({ min: Date.UTC(1990, 0) / 1000, max: Date.UTC(2100, 0) / 1000 });
    fc.assert(
      fc.property(zones, seconds, (zone, second) => {
        const moment = second * 1000;
        const again = fromInputValue(toInputValue(moment, zone), zone);
        // An hour that the clock has twice is typed in one way.
        expect([0, HOUR_MS]).toContain(moment - (again ?? 0));
        expect(toInputValue(again ?? 0, zone)).toBe(toInputValue(moment, zone));
        expect(hourOf(moment, zone)).toBe(Number(formatClock(moment, zone).slice(0, 2)));
      }),
    );
    expect(toInputValue(Date.parse('0001-01-01T00:00:00Z'), 'America/New_York')).toMatch(/^0000-12-31T19:0/);
  });

  it('has a zone that a link names, or none', () => {
    expect(parseZone('europe/berlin')).toBe('Europe/Berlin');
    expect(parseZone('Asia/Kolkata')).toBe('Asia/Kolkata');
    expect(inTimeZone('Europe/Berlin', () => [parseZone('Europe/Berlin'), parseZone('local')])).toEqual([
      ...['local', 'local'],
    ]);
    expect(inTimeZone('UTC', () => [parseZone('UTC'), parseZone('local')])).toEqual(['UTC', 'UTC']);
    for (const none of [null, '', 'Mars/Base', '+01:00', '../x', 'a'.repeat(500)])
      expect(parseZone(none)).toBeNull();
  });

  it.each(['', '2026-07-01T', '2026-13-01T00:00'])('is not known while it is incomplete: "%s"', (typed) => {
    expect([fromInputValue(typed, 'UTC'), fromInputValue(typed, 'local')]).toEqual([null, null]);
  });
});

describe('a time that is shown', () => {
  it('has as many decimals as asked for, as SQL Server recorded them', () => {
    expect(formatTime('2026-01-05T08:09:03.1234567Z', 'UTC')).toBe('2026-01-05 08:09:03');
    expect(formatTime('2026-01-05T08:09:03.1234567Z', 'UTC', 7)).toBe('2026-01-05 08:09:03.1234567');
    expect(formatTime('2026-01-05T08:09:03.9999999Z', 'UTC', 3)).toBe('2026-01-05 08:09:03.999');
    expect(formatTime('2026-01-05T08:09:03Z', 'UTC', 3)).toBe('2026-01-05 08:09:03.000');
    expect(formatTime('2026-01-05T08:09:03.1Z', 'UTC', 7)).toBe('2026-01-05 08:09:03.1000000');
  });

  it('has its offset where it is local, so that the hour that a clock has twice is not the same', () => {
    const shown = (time: string) => inTimeZone('Europe/Berlin', () => formatTime(time, 'local'));
    expect(shown('2026-10-25T00:30:00Z')).toBe('2026-10-25 02:30:00 +02:00');
    expect(shown('2026-10-25T01:30:00Z')).toBe('2026-10-25 02:30:00 +01:00');
    expect(inTimeZone('America/St_Johns', () => offsetOf(Date.parse('2026-01-05T08:00:00Z')))).toBe('−03:30');
    expect(inTimeZone('Asia/Kathmandu', () => offsetOf(0))).toBe('+05:30');
    expect(inTimeZone('UTC', () => offsetOf(0))).toBe('+00:00');
  });

  it('is the start of a day of the zone’s calendar, also across a change of its clock', () => {
    const now = Date.parse('2026-03-29T10:00:00Z');
    const starts = (zone: string) =>
      inTimeZone(zone, () => [0, 1, -1].map((days) => iso(dayStart(now, 'local', days))));
    expect(starts('Europe/Berlin')).toEqual([
      ...['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z', '2026-03-27T23:00:00.000Z'],
    ]);
    expect(inTimeZone('Europe/Berlin', () => iso(dayStart(now, 'UTC', 1, 6)))).toBe(
      '2026-03-30T06:00:00.000Z',
    );
  });

  it.each([
    [0, '0 s'],
    [40_400, '40 s'],
    [60_000, '1 min'],
    [5 * 3600_000, '5 h'],
    [3 * 86_400_000 - 1, '3 d'],
    [86_400_000 - 1, '24 h'],
  ])('is a length in its largest unit: %i ms', (ms, text) => {
    expect(formatSpan(ms)).toBe(text);
    const now = Date.parse('2026-01-05T08:00:00Z');
    expect(formatSince(new Date(now - ms).toISOString(), now)).toBe(text);
    expect(formatSince(new Date(now + 5_000).toISOString(), now)).toBe('0 s');
  });
});
