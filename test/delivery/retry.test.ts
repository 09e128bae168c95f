import { parseRetryAfter, retryDelayMs } from '../../src/delivery/retry';

describe('the schedule of retries', () => {
  it('begins with a second and doubles to five minutes', () => {
    const seconds = Array.from({ length: 12 }, (_, i) => retryDelayMs(i + 1, undefined, 0) / 1000);
    expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
    expect(retryDelayMs(1_000_000, undefined, 0)).toBe(300_000);
  });

  it('is up to a fifth longer at random', () => {
    expect(retryDelayMs(1, undefined, 0.5)).toBe(1_100);
    expect(retryDelayMs(30, undefined, 0.999)).toBeLessThanOrEqual(360_000);
  });

  it('waits as long as the receiver asks, up to an hour', () => {
    expect(retryDelayMs(1, 30_000, 0)).toBe(30_000);
    expect(retryDelayMs(9, 1_000, 0)).toBe(256_000);
    expect(retryDelayMs(1, 1e12, 0)).toBe(3_600_000);
  });

  it.each([
    ['120', 120_000],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
    ['soon', undefined],
    [undefined, undefined],
  ])('reads Retry-After: %s', (header, ms) => {
    expect(parseRetryAfter(header, 10_000)).toBe(ms);
  });
});
