import { isInWindow } from '../../../agent/update/window';

const at = (time: string) => Date.parse(time);
const open = (window: string | null, time: string, zone = 'Europe/Berlin') =>
  isInWindow(window, at(time), zone);

describe('the window of a package', () => {
  it('is open from its first minute up to its last one, by the clock of the host', () => {
    expect(
      ['00:59:59', '01:00:00', '02:59:59', '03:00:00'].map((t) => open('02:00-04:00', `2026-01-10T${t}Z`)),
    ).toEqual([false, true, true, false]);
    expect(open('02:00-04:00', '2026-01-10T02:30:00Z', 'America/New_York')).toBe(false);
    expect(open('02:00-04:00', '2026-01-10T08:30:00Z', 'America/New_York')).toBe(true);
  });

  it('is always open without times, and with the same time twice', () => {
    expect(open(null, '2026-01-10T12:00:00Z')).toBe(true);
    expect(open('05:00-05:00', '2026-01-10T12:00:00Z')).toBe(true);
  });

  it('goes over midnight', () => {
    const times = ['20:59', '21:00', '23:00', '01:59', '03:00'];
    expect(times.map((time) => open('22:00-03:00', `2026-01-10T${time}:00Z`))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(open('23:30-00:30', '2026-01-10T23:00:00Z')).toBe(true);
  });

  it('opens a day later where clocks leave its hour out, and twice where its hour comes twice', () => {
    const minutes = (day: string, window: string) =>
      Array.from({ length: 20 * 60 }, (_, i) =>
        isInWindow(window, at(`${day}T00:00:00Z`) + i * 60_000, 'Europe/Berlin'),
      ).filter(Boolean).length;
    expect(minutes('2026-03-29', '02:00-03:00')).toBe(0);
    expect(minutes('2026-03-29', '01:00-04:00')).toBe(120);
    expect(minutes('2026-10-25', '02:00-03:00')).toBe(120);
    expect(minutes('2026-10-26', '02:00-03:00')).toBe(60);
  });
});
