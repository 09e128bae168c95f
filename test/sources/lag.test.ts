import fc from 'fast-check';
import { figuresOf, minutesBetween } from '../../src/modules/sources/lag';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const T = Date.UTC(2026, 4, 4, 8);
const point = (minutes: number, behindMinutes: number | null) => ({
  atMs: T + minutes * MINUTE,
  caughtUpMs: behindMinutes === null ? null : T + (minutes - behindMinutes) * MINUTE,
});

describe('the lag of a source', () => {
  it('is noted once a minute while its agent reports', () => {
    expect(
      minutesBetween(point(10.5, 0), { ...point(11.5, 0), caughtUpMs: T + 11.5 * MINUTE - 700 }),
    ).toEqual([{ hourMs: T, lagClass: 0, minutes: 1, worstMs: 700 }]);
    expect(minutesBetween(point(10.2, 0), point(10.9, 0))).toEqual([]);
  });

  it('grows with each minute without a report, in the hours of these minutes', () => {
    const noted = minutesBetween(point(50, 0), point(70, 0));
    const minutesOf = (hourMs: number) =>
      noted.filter((one) => one.hourMs === hourMs).reduce((sum, { minutes }) => sum + minutes, 0);

    expect([minutesOf(T), minutesOf(T + HOUR)]).toEqual([9, 11]);
    expect(figuresOf(noted)).toMatchObject({ minutes: 20, worstSeconds: 1_200 });
    // Of 1 to 19 minutes, and of none at the report.
    expect(figuresOf(noted).p50Seconds).toBe(600);
  });

  it('goes on where no second report has come, and says nothing of a source that never was complete', () => {
    expect(figuresOf(minutesBetween(point(0, 1), null, T + 5 * MINUTE))).toMatchObject({
      minutes: 5,
      worstSeconds: 360,
    });
    expect(minutesBetween(point(0, 0), null, T + 1.5 * MINUTE)).toEqual([]);
    expect(minutesBetween(point(0, null), point(90, null))).toEqual([]);
    expect(minutesBetween(null, point(90, 30))).toMatchObject([{ minutes: 1, worstMs: 30 * MINUTE }]);
  });

  it('is what is known already where a report says nothing, or an earlier moment', () => {
    for (const after of [point(1, null), point(1, 5)])
      expect(minutesBetween(point(0, 0), after)).toMatchObject([{ minutes: 1, worstMs: MINUTE }]);
  });

  it('has half and 99 of 100 minutes at most at the end of a class, and never above the worst', () => {
    const noted = [
      { lagClass: 0, minutes: 98, worstMs: 900 },
      { lagClass: 6, minutes: 1, worstMs: 45_000 },
      { lagClass: 8, minutes: 1, worstMs: 250_000 },
    ];
    expect(figuresOf(noted)).toEqual({ minutes: 100, p50Seconds: 1, p99Seconds: 60, worstSeconds: 250 });
    expect(figuresOf([])).toMatchObject({ minutes: 0, p50Seconds: null, worstSeconds: null });
  });

  it('of a silence is noted as it would be minute by minute', () => {
    const seconds = fc.nat({ max: 3 * 86_400 });
    fc.assert(
      fc.property(seconds, seconds, seconds, fc.boolean(), (beginning, behind, silence, hasReport) => {
        const before = { atMs: T + beginning * 1_000, caughtUpMs: T + (beginning - behind) * 1_000 };
        const untilMs = before.atMs + silence * 1_000;
        const noted = minutesBetween(before, hasReport ? { ...before, atMs: untilMs } : null, untilMs);
        const whole = noted
          .filter(({ minutes }) => minutes > 0)
          .map(({ minutes, ...of }) => ({ ...of, minutes }));
        const expected = new Map<
          string,
          { hourMs: number; lagClass: number; minutes: number; worstMs: number }
        >();
        const first = Math.floor(before.atMs / MINUTE) * MINUTE + MINUTE;
        const last = Math.floor(untilMs / MINUTE) * MINUTE;
        const isSilent = silence > 120;
        const times: number[] = [];
        if (isSilent) for (let at = first; at < (hasReport ? last : last + 1); at += MINUTE) times.push(at);
        if (hasReport && first <= last) times.push(untilMs);
        for (const at of times) {
          const [one] = minutesBetween(null, { atMs: at, caughtUpMs: before.caughtUpMs });
          if (!one) throw new Error('a minute was noted without a class');
          const key = `${one.hourMs} ${one.lagClass}`;
          const own = expected.get(key);
          expected.set(key, {
            hourMs: one.hourMs,
            lagClass: one.lagClass,
            minutes: (own?.minutes ?? 0) + 1,
            worstMs: Math.max(own?.worstMs ?? 0, one.worstMs),
          });
        }
        const byPlace = (a: (typeof whole)[number], b: (typeof whole)[number]) =>
          a.hourMs - b.hourMs || a.lagClass - b.lagClass;
        expect(whole.sort(byPlace)).toEqual([...expected.values()].sort(byPlace));
      }),
      { numRuns: 200 },
    );
  });

  it('of a long silence is noted for its last 31 days', () => {
    const noted = minutesBetween(point(0, 0), point(90 * 1_440, 0));

    expect(figuresOf(noted)).toMatchObject({ minutes: 31 * 1_440, worstSeconds: 90 * 86_400 });
    expect(noted.length).toBeLessThan(31 * 24 + 3);
  });
});
