import { parseState } from '../../dashboard/src/explore/explore-state';
import { fixedRange } from '../../dashboard/src/explore/time-range';
import { beforeText, changeText } from '../../dashboard/src/overview/change';
import { OVERVIEW } from '../../dashboard/src/overview/texts';
import {
  daysOf,
  eventsIn,
  neighbour,
  squaresOf,
  weekdayIn,
  weekdayOf,
  weekHref,
} from '../../dashboard/src/overview/week';

const HOURS = 7 * 24;
/** A week in which each hour has another number of events. */
const weekFrom = (startTime: string) => ({
  startTime,
  endTime: new Date(Date.parse(startTime) + HOURS * 3_600_000).toISOString(),
  hours: Array.from({ length: HOURS }, (_, i) => i + 1),
});

describe('a number of the week beside that of the week before', () => {
  it.each([
    [140, 100, '+40 %'],
    [97, 100, '−3 %'],
    [100, 100, '±0 %'],
    [0, 0, '±0 %'],
    [1_001, 1_000, '+<1 %'],
    [999, 1_000, '−<1 %'],
    [999, 100, '+899 %'],
    [1_000, 100, '×10'],
    [1_249, 100, '×12'],
    [5, 0, 'new'],
    ['140', '100', '+40 %'],
  ])('%s after %s is %s', (now, before, text) => {
    expect(changeText(now, before, OVERVIEW)).toBe(text);
  });

  it('is compared with nothing where nothing was recorded', () => {
    expect([changeText(5, null, OVERVIEW), changeText(5, undefined, OVERVIEW)]).toEqual([null, null]);
    expect([beforeText(null, OVERVIEW), beforeText(undefined, OVERVIEW)]).toEqual(
      Array(2).fill('nothing was recorded the week before'),
    );
    expect(beforeText('1234567', OVERVIEW)).toBe('1,234,567 the week before');
  });
});

describe('the week of the overview', () => {
  const week = weekFrom('2026-01-05T10:00:00Z');

  it('lies in eight days, of which the first and the last are parts', () => {
    const days = daysOf(week, 'UTC');
    expect(days.map(({ date }) => weekdayOf(date))).toEqual([
      ...['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun', 'Mon'],
    ]);
    expect([days[0], days[1], days[7]]).toEqual([
      { date: '2026-01-05', first: 0, end: 14 },
      { date: '2026-01-06', first: 14, end: 38 },
      { date: '2026-01-12', first: 158, end: 168 },
    ]);
    expect(daysOf(week, 'America/New_York')[0]).toEqual({ date: '2026-01-05', first: 0, end: 19 });
    expect(eventsIn(week.hours, { first: 1, end: 3 })).toBe(2 + 3);
  });

  it('names weekdays in another language', () => {
    expect(weekdayIn('So Mo Di Mi Do Fr Sa', 'Mon')).toBe('Mo');
    expect(weekdayIn('So', 'Mon')).toBe('Mon');
  });

  it('has each hour once in its squares, of which the last row is that of its end', () => {
    const rows = squaresOf(week, 'UTC');
    expect(rows.map(({ weekday }) => weekday)).toEqual(['Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun', 'Mon']);
    const squares = rows.flatMap((row) => row.squares.flatMap((square) => square ?? []));
    expect(squares).toHaveLength(HOURS);
    expect(squares.reduce((sum, { events }) => sum + events, 0)).toBe((HOURS * (HOURS + 1)) / 2);
    const monday = rows.at(-1)?.squares;
    expect([monday?.[10], monday?.[9]]).toEqual([
      { weekday: 'Mon', clock: 10, date: '2026-01-05', first: 0, end: 1, events: 1 },
      { weekday: 'Mon', clock: 9, date: '2026-01-12', first: 167, end: 168, events: 168 },
    ]);
  });

  it('has a square of two hours where a clock is set back, and none where it is set forward', () => {
    const back = squaresOf(weekFrom('2026-10-22T00:00:00Z'), 'Europe/Berlin');
    const sunday = back.find(({ weekday }) => weekday === 'Sun')?.squares;
    expect(sunday?.[2]).toMatchObject({ clock: 2, first: 72, end: 74, events: 73 + 74 });
    const forward = squaresOf(weekFrom('2026-03-26T00:00:00Z'), 'Europe/Berlin');
    const gap = forward.find(({ weekday }) => weekday === 'Sun')?.squares;
    expect(gap?.flatMap((square, clock) => (square === null ? [clock] : []))).toEqual([2]);
    // The clock that is an hour ahead shows the first hour of such a week again in its last one.
    const [again] = squaresOf(weekFrom('2026-03-26T09:00:00Z'), 'Europe/Berlin').slice(-1);
    expect(again?.squares[10]).toMatchObject({ date: '2026-04-02', first: 167, end: 168, events: 168 });
  });

  it('leads to its events, or to those of some of its hours', () => {
    const shown = (href: string) => parseState(new URL(href, 'http://page').search);
    const hour = (n: number) => Date.parse(week.startTime) + n * 3_600_000;
    expect(shown(weekHref(week, 'succeeded:false'))).toMatchObject({
      filter: 'succeeded:false',
      range: fixedRange(hour(0), hour(HOURS)),
    });
    expect(shown(weekHref(week, '', { first: 2, end: 4 })).range).toEqual(fixedRange(hour(2), hour(4)));
  });

  it('has the week before, and the week after unless that lies in the future', () => {
    const end = Date.parse(week.endTime);
    const day = 86_400_000;
    expect(neighbour(week, -1, end)).toBe(new Date(end - 7 * day - 1).toISOString());
    expect(neighbour(week, 1, end + 7 * day)).toBe(new Date(end + 7 * day - 1).toISOString());
    expect(neighbour(week, 1, end + 7 * day - 1)).toBeNull();
  });
});
