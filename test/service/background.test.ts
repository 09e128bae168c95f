import { pino } from 'pino';
import { repeat } from '../../src/background';

const HOUR_MS = 3_600_000;
const log = pino({ level: 'silent' });

describe('a task in the background', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('runs soon after the start, however rare it is, and then at its interval', async () => {
    let rounds = 0;
    const task = repeat('test', HOUR_MS, log, async () => void rounds++);
    expect(rounds).toBe(0);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(rounds).toBe(1);
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    expect(rounds).toBe(2);
    await task.stop();
    await jest.advanceTimersByTimeAsync(10 * HOUR_MS);
    expect(rounds).toBe(2);
  });

  it.each([[undefined], [0], [null], [-1]])(
    'rests until its interval is over after a result of %j',
    async (left) => {
      let rounds = 0;
      const task = repeat('test', HOUR_MS, log, async () => {
        rounds++;
        // A task that does not rest would run for ever.
        return rounds < 10 ? left : undefined;
      });
      await jest.advanceTimersByTimeAsync(5_000);
      expect(rounds).toBe(1);
      await task.stop();
    },
  );

  it('runs again at once while work is left, and stops in between', async () => {
    let rounds = 0;
    let before = 0;
    const task = repeat('test', HOUR_MS, log, async () => (++rounds < 3 ? 3 - rounds : undefined));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(rounds).toBe(3);
    const other: { stop(): Promise<void> } = repeat('other', HOUR_MS, log, async () => {
      before++;
      if (before === 2) void other.stop();
      return before < 10 ? 1 : undefined;
    });
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    expect(before).toBe(2);
    await task.stop();
  });

  it('never runs twice at once, and goes on after a failure', async () => {
    let [begun, ended] = [0, 0];
    let end = () => {};
    const task = repeat('test', HOUR_MS, log, async () => {
      begun++;
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      ended++;
      throw new Error('fails');
    });
    await jest.advanceTimersByTimeAsync(3 * HOUR_MS);
    expect([begun, ended]).toEqual([1, 0]);
    end();
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    expect([begun, ended]).toEqual([2, 1]);
    end();
    await task.stop();
    expect(ended).toBe(2);
  });

  it('does not run if the service stops before its first run', async () => {
    let rounds = 0;
    await repeat('test', HOUR_MS, log, async () => void rounds++).stop();
    await jest.advanceTimersByTimeAsync(10 * HOUR_MS);
    expect(rounds).toBe(0);
  });
});
