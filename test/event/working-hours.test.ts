import { WorkTimes, workingHoursProblems } from '../../src/event/working-hours';
import { Zone } from '../../src/event/zone';

const BERLIN = new Zone('Europe/Berlin');
/** 29 March 2026 is a Sunday; the clocks go forward in its night. */
const at = (text: string) => Date.parse(text);
const timesOf = (...declared: readonly (string | readonly [string, string])[]) =>
  new WorkTimes(
    declared.map((one) =>
      typeof one === 'string'
        ? { serverInstanceName: null, workingHours: one }
        : { serverInstanceName: one[0], workingHours: one[1] },
    ),
    BERLIN,
  );

describe('working hours', () => {
  it.each([
    ['2026-03-27T06:00:00Z', false],
    ['2026-03-27T05:59:59Z', true],
    ['2026-03-27T17:59:59Z', false],
    ['2026-03-27T18:00:00Z', true],
    ['2026-03-28T12:00:00Z', true],
    // An hour earlier in summer time.
    ['2026-03-30T05:00:00Z', false],
  ])(
    'are Monday to Friday, 7 to 19, in the zone of the reader, where none is declared: %s',
    (time, isOutside) => {
      expect(timesOf().isOutside(at(time), 'PAY01')).toBe(isOutside);
      expect(timesOf().text).toBe('Monday to Friday, 7 to 19');
    },
  );

  it.each([
    ['Sat,Sun 22:00-06:00 Europe/Berlin', '2026-03-28T21:00:00Z', false],
    ['Sat,Sun 22:00-06:00 Europe/Berlin', '2026-03-30T03:59:00Z', false],
    ['Sat,Sun 22:00-06:00 Europe/Berlin', '2026-03-30T04:00:00Z', true],
    ['Sat,Sun 22:00-06:00 Europe/Berlin', '2026-03-28T04:00:00Z', true],
    ['Fri-Mon 00:00-24:00', '2026-03-29T23:59:59Z', false],
    ['Fri-Mon 00:00-24:00', '2026-03-31T00:00:00Z', true],
    ['mon-sun 08:00-08:00', '2026-03-31T03:00:00Z', false],
  ])('are those that are declared: %s at %s', (hours, time, isOutside) => {
    expect(timesOf(hours).isOutside(at(time), null)).toBe(isOutside);
  });

  it('of an instance take the place of those of every one, and several count together', () => {
    const times = timesOf('Mon-Fri 08:00-16:00', 'Sat 08:00-12:00', ['pay01', 'Sun 00:00-24:00']);
    const [saturday, sunday] = [at('2026-03-28T09:00:00Z'), at('2026-03-29T09:00:00Z')];

    expect([times.isOutside(saturday, 'WEB01'), times.isOutside(sunday, 'WEB01')]).toEqual([false, true]);
    expect([times.isOutside(saturday, 'PAY01'), times.isOutside(sunday, 'PAY01')]).toEqual([true, false]);
    const both = timesOf(['PAY01', 'Sat 08:00-12:00'], ['pay01', 'Sun 08:00-12:00']);
    expect([saturday, sunday].map((ms) => both.isOutside(ms, 'Pay01'))).toEqual([false, false]);
    expect(times.text).toBe('Mon-Fri 08:00-16:00; Sat 08:00-12:00; pay01: Sun 00:00-24:00');
    expect(timesOf(['A', 'Sun 08:00-09:00']).text).toBe('Monday to Friday, 7 to 19; A: Sun 08:00-09:00');
    expect(timesOf(...Array<string>(8).fill('Sun 08:00-09:00')).text).toMatch(/and 3 more$/);
  });

  it.each([
    'Mon-Fri',
    'Mon-Fri 7-19',
    'Mo-Fr 07:00-19:00',
    'Mon-Fri 24:00-06:00',
    'Mon-Fri 07:60-19:00',
    'Mon-Fri 07:00-25:00',
    'Mon-Fri 07:00-19:00 Mars/Olympus',
    'Mon-Tue-Wed 07:00-19:00',
    'Mon, 07:00-08:00',
    '',
  ])('are refused where they are malformed: %s', (text) => {
    expect(workingHoursProblems(text, 'workingHours')).toMatchObject([{ field: 'workingHours' }]);
    expect(workingHoursProblems('Mon-Fri  07:00-19:00', 'workingHours')).toEqual([]);
  });
});
