import { LIMITS } from '../../src/limits';
import { silenceClock, steadyClock } from '../../src/steady-clock';

const START = Date.parse('2026-03-02T08:00:00Z');
const MINUTE = 60_000;

describe('a clock without steps', () => {
  let [elapsedMs, setByMs] = [0, 0];
  const wallMs = () => START + Math.floor(elapsedMs) + setByMs;
  const clock = () => steadyClock(wallMs, LIMITS.clockStepForMs, () => elapsedMs);
  beforeEach(() => {
    // Monotonic clocks have fractions, and times in ids have none.
    [elapsedMs, setByMs] = [500.25, 0];
  });

  it.each([20 * MINUTE, -20 * MINUTE])(
    'goes on as before when it is set by %d ms, and takes the new time later',
    (byMs) => {
      const steady = clock();
      setByMs = byMs;
      elapsedMs += MINUTE;
      expect(steady()).toBe(START + 500 + MINUTE);
      elapsedMs += LIMITS.clockStepForMs - 1;
      expect(steady()).toBe(wallMs() - byMs);
      elapsedMs += 1;
      expect(steady()).toBe(wallMs());
      elapsedMs += MINUTE;
      expect(steady()).toBe(wallMs());
    },
  );

  it('is right at once when it is set back to what it was', () => {
    const steady = clock();
    setByMs = 20 * MINUTE;
    steady();
    elapsedMs += 3 * MINUTE;
    setByMs = 0;
    expect(steady()).toBe(wallMs());
    setByMs = 20 * MINUTE;
    elapsedMs += LIMITS.clockStepForMs - MINUTE;
    expect(steady()).toBe(wallMs() - 20 * MINUTE);
  });

  it('follows a clock that is sped up', () => {
    const steady = clock();
    for (let i = 0; i < 30; i++) {
      elapsedMs += MINUTE;
      setByMs += 3_000;
      expect(steady()).toBe(wallMs());
    }
  });

  it.each([
    [20 * MINUTE, 0],
    [-20 * MINUTE, -20 * MINUTE],
  ])('judges silence by the earlier time when it is set by %d ms', (byMs, judgedByMs) => {
    const silence = silenceClock(clock(), wallMs);
    expect(silence()).toBe(Math.round(wallMs()));
    setByMs = byMs;
    elapsedMs += 15 * MINUTE + 1;
    expect(Math.floor(silence())).toBe(Math.floor(START + elapsedMs + judgedByMs));
  });
});
