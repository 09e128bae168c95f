import { gql } from 'urql';
import { createClient } from '../../dashboard/src/api/client';
import { codeOf } from '../../dashboard/src/api/errors';
import { askedAgainMs } from '../../dashboard/src/api/rate-wait';
import { retryAfterSeconds, SlidingLog } from '../../src/caller/rate-limit/limiter';

describe('questions at the rate limit', () => {
  const QUESTION = gql`query Count { count }`;
  const CHANGE = gql`mutation Change { change }`;
  let ask: jest.SpiedFunction<typeof fetch>;
  const refusedFor = (seconds: number) => {
    const error = { message: 'Refused.', extensions: { code: 'rate_limited' } };
    return Response.json({ errors: [error] }, { status: 429, headers: { 'Retry-After': String(seconds) } });
  };
  const client = () => createClient(() => undefined);
  beforeEach(() => {
    jest.useFakeTimers();
    ask = jest.spyOn(globalThis, 'fetch');
  });
  afterEach(() => {
    jest.useRealTimers();
    ask.mockRestore();
  });

  it('are asked again after the named time, and the page knows when', async () => {
    ask.mockResolvedValueOnce(refusedFor(7)).mockResolvedValueOnce(Response.json({ data: { count: 1 } }));
    const answer = client().query(QUESTION, {}).toPromise();
    await jest.advanceTimersByTimeAsync(6_999);
    expect([ask.mock.calls.length, askedAgainMs()]).toEqual([1, Date.now() + 1]);
    await jest.advanceTimersByTimeAsync(1);
    expect([(await answer).data, askedAgainMs()]).toEqual([{ count: 1 }, null]);
  });

  it('wait until the last of them is asked again, as far as the page says', async () => {
    for (const seconds of [7, 40, 9]) ask.mockResolvedValueOnce(refusedFor(seconds));
    ask.mockImplementation(async () => Response.json({ data: { count: 1 } }));
    const answers = [1, 2, 3].map((i) => client().query(QUESTION, { i }).toPromise());
    await jest.advanceTimersByTimeAsync(8_000);
    expect(askedAgainMs()).toBe(Date.now() + 32_000);
    await jest.advanceTimersByTimeAsync(32_000);
    expect([(await Promise.all(answers)).length, askedAgainMs()]).toEqual([3, null]);
  });

  it('are asked again soon where the service has no turn; a change is not made again by itself', async () => {
    const busy = async () =>
      Response.json({ errors: [{ message: 'Busy.' }] }, { status: 503, headers: { 'Retry-After': '1' } });
    ask.mockImplementationOnce(busy);
    ask.mockImplementationOnce(async () => Response.json({ data: { count: 1 } }));
    const answer = client().query(QUESTION, {}).toPromise();
    await jest.advanceTimersByTimeAsync(5_000);
    expect([(await answer).data, ask.mock.calls.length]).toEqual([{ count: 1 }, 2]);
    ask.mockClear().mockImplementation(busy);
    const change = client().mutation(CHANGE, {}).toPromise();
    await jest.advanceTimersByTimeAsync(20_000);
    expect([(await change).error?.message, ask.mock.calls.length]).toEqual(['[GraphQL] Busy.', 1]);
  });

  it('are told to the reader after three minutes, and at once where no time is named', async () => {
    ask.mockImplementation(async () => refusedFor(59));
    const answer = client().query(QUESTION, {}).toPromise();
    await jest.advanceTimersByTimeAsync(3 * 59_000);
    expect([codeOf((await answer).error as Error), ask.mock.calls.length]).toEqual(['rate_limited', 4]);
    ask.mockImplementation(async () => Response.json({}, { status: 429 }));
    await client().query(QUESTION, {}).toPromise();
    expect([ask.mock.calls.length, askedAgainMs()]).toEqual([5, null]);
  });

  it('are not asked again once nobody wants the answer; a change is not made again by itself', async () => {
    ask.mockImplementation(async () => refusedFor(5));
    const asked = client()
      .query(QUESTION, {})
      .subscribe(() => undefined);
    await jest.advanceTimersByTimeAsync(4_000);
    asked.unsubscribe();
    await jest.advanceTimersByTimeAsync(4_000);
    expect([ask.mock.calls.length, askedAgainMs()]).toEqual([1, null]);
    const { error } = await client().mutation(CHANGE, {}).toPromise();
    expect([error && codeOf(error), ask.mock.calls.length]).toEqual(['rate_limited', 2]);
  });

  it('of five pages are all answered soon after the window has room again', async () => {
    const limit = 50;
    const window = new SlidingLog(1, () => Date.now());
    let refused = 0;
    ask.mockImplementation(async () => {
      const decision = await window.admit('person', limit);
      if (decision.admitted) return Response.json({ data: { count: 1 } });
      refused++;
      return refusedFor(retryAfterSeconds(decision));
    });
    // Somebody turned pages for ten seconds: the window has no room for 50 seconds.
    for (let i = 0; i < limit; i++) {
      await window.admit('person', limit);
      await jest.advanceTimersByTimeAsync(200);
    }
    let answered = 0;
    for (let page = 0; page < 5; page++) {
      const [own, n] = [client(), 8];
      for (let i = 0; i < n; i++)
        void own
          .query(QUESTION, { i })
          .toPromise()
          .then(({ data }) => data && answered++);
    }
    await jest.advanceTimersByTimeAsync(49_000);
    expect([answered, refused]).toEqual([0, 40]);
    await jest.advanceTimersByTimeAsync(12_000);
    expect([answered, askedAgainMs()]).toEqual([40, null]);
  });
});
