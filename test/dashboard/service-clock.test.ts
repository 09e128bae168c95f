import { fetchInTime } from '../../dashboard/src/api/rate-wait';
import { boundsOf, last } from '../../dashboard/src/explore/time-range';
import { serviceNowMs } from '../../dashboard/src/lib/service-clock';
import { sourcesOf } from '../support/imports';

const BROWSER = '2026-11-27T12:00:00.400Z';
const HOUR_MS = 3_600_000;

describe('the time of the page', () => {
  let ask: jest.SpiedFunction<typeof fetch>;
  beforeEach(() => {
    jest.useFakeTimers({ now: new Date(BROWSER) });
    ask = jest.spyOn(globalThis, 'fetch');
  });
  afterEach(() => {
    jest.useRealTimers();
    ask.mockRestore();
  });
  /** @param aheadMs how far the clock of the service is before that of the browser @param takesMs until the answer is there */
  const askAt = async (aheadMs: number, takesMs = 0) => {
    ask.mockImplementationOnce(async () => {
      const told = new Date(Date.now() + aheadMs).toUTCString();
      jest.setSystemTime(Date.now() + takesMs);
      return new Response('{}', { headers: { Date: told } });
    });
    await fetchInTime('/graphql');
    return serviceNowMs() - Date.now();
  };

  it.each([2, -2])('is that of the service, where the browser is %d hours off', async (hours) => {
    const off = await askAt(hours * HOUR_MS);
    expect(Math.abs(off - hours * HOUR_MS)).toBeLessThan(1_000);
    const { endTime } = boundsOf(last(15, 'm'), serviceNowMs(), 'UTC');
    const seconds = Date.parse(endTime ?? '') - Date.parse(BROWSER) - hours * HOUR_MS;
    expect(Math.abs(seconds)).toBeLessThan(1_000);
  });

  it('is moved no more than an answer that took long tells for certain', async () => {
    for (const [ahead, least] of [
      [HOUR_MS, HOUR_MS - 20_000],
      [-HOUR_MS, -HOUR_MS],
    ] as const)
      expect(Math.abs((await askAt(ahead, 20_000)) - least)).toBeLessThan(1_000);
  });

  it('is that of the browser, where the answer does not say otherwise, however long it takes', async () => {
    await askAt(HOUR_MS);
    expect(await askAt(0)).toBe(0);
    expect(await askAt(0, 20_000)).toBe(0);
    await askAt(HOUR_MS);
    expect(await askAt(-300)).toBe(0);
    ask.mockResolvedValueOnce(new Response('{}'));
    await fetchInTime('/graphql');
    expect(serviceNowMs()).toBe(Date.now());
  });

  it('is read elsewhere only to measure how long something takes', () => {
    const naming = sourcesOf('dashboard/src').filter(({ text }) => /Date\.now\b|new Date\(\)/.test(text));
    expect(naming.map(({ file }) => file).sort()).toEqual([
      'dashboard/src/api/attended.ts',
      'dashboard/src/api/rate-wait.ts',
      'dashboard/src/explore/live/use-live.ts',
      'dashboard/src/lib/service-clock.ts',
      'dashboard/src/lib/use-rates.ts',
    ]);
  });
});
