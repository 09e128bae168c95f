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

  it('does not run if the service stops before its first run', async () => {
    let rounds = 0;
    await repeat('test', HOUR_MS, log, async () => void rounds++).stop();
    await jest.advanceTimersByTimeAsync(10 * HOUR_MS);
    expect(rounds).toBe(0);
  });
});
