import { AnswerBytes } from '../../src/caller/rate-limit/holdings';
import { LIMITS } from '../../src/limits';

const acme = { holder: 'key a', tenants: [1] };
const other = { holder: 'key b', tenants: [2] };
const REFUSED = { code: 'service_unavailable', retryAfterSeconds: 2 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the bytes of answers in memory', () => {
  let answers: AnswerBytes;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    jest.replaceProperty(LIMITS, 'answerBytesPerKeyMax', 100 as never);
    jest.replaceProperty(LIMITS, 'answerBytesPerTenantMax', 150 as never);
    jest.replaceProperty(LIMITS, 'answerBytesMax', 200 as never);
    jest.replaceProperty(LIMITS, 'answersWaitingPerKey', 2 as never);
    answers = new AnswerBytes();
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
  /** Asks for room. @returns the state so far, and the promise */
  const state = async (asker: Parameters<AnswerBytes['hold']>[0], bytes: number) => {
    let had = 'waits';
    const asked = answers.hold(asker, bytes).then(
      (room) => {
        had = 'room';
        return room;
      },
      (error) => {
        had = error.code;
        throw error;
      },
    );
    asked.catch(() => {});
    await turn();
    return { now: () => had, asked };
  };

  it('of a key wait for room until an answer has left, while other keys have room', async () => {
    const first = await answers.hold(acme, 80);
    const second = await state(acme, 80);
    expect(second.now()).toBe('waits');
    expect((await state(other, 80)).now()).toBe('room');
    first.release();
    first.release();
    await turn();
    expect(second.now()).toBe('room');
    expect((await state(acme, 30)).now()).toBe('waits');
  });

  it('of an answer that turns out larger are waited for, before others get room', async () => {
    const first = await answers.hold(acme, 60);
    const second = await answers.hold(acme, 30);
    const third = await state(acme, 70);
    const fourth = await state(acme, 40);
    let isGrown = false;
    const growing = second.grow(50).then(() => {
      isGrown = true;
    });
    await turn();
    expect([isGrown, third.now(), fourth.now()]).toEqual([false, 'waits', 'waits']);
    first.release();
    await growing;
    await turn();
    expect([third.now(), fourth.now()]).toEqual(['waits', 'room']);
    await second.grow(20);
    expect((await state(acme, 40)).now()).toBe('room');
    second.release();
    await turn();
    expect(third.now()).toBe('waits');
  });

  it('of an answer that turns out larger are refused in the end, and kept by nobody whose caller has gone', async () => {
    const first = await answers.hold(acme, 60);
    const late = await answers.hold(acme, 20);
    const growing = late.grow(50);
    growing.catch(() => {});
    jest.advanceTimersByTime(LIMITS.answerWaitMs);
    await expect(growing).rejects.toMatchObject(REFUSED);
    const leaving = new AbortController();
    const gone = await answers.hold({ ...acme, gone: leaving.signal }, 20);
    const left = gone.grow(60);
    left.catch(() => {});
    leaving.abort();
    await expect(left).rejects.toThrow();
    late.release();
    first.release();
    await turn();
    expect((await state(acme, 100)).now()).toBe('room');
  });

  it('make a further answer a 503 if no answer leaves in time', async () => {
    const first = await answers.hold(acme, 80);
    const waiting = await state(acme, 80);
    jest.advanceTimersByTime(LIMITS.answerWaitMs);
    await turn();
    expect(waiting.now()).toBe('service_unavailable');
    await expect(waiting.asked).rejects.toMatchObject(REFUSED);
    // A refused answer takes no room when there is some.
    first.release();
    expect((await state(acme, 100)).now()).toBe('room');
  });

  it('can be waited for by a bounded number of answers', async () => {
    await answers.hold(acme, 80);
    for (let i = 0; i < 2; i++) expect((await state(acme, 80)).now()).toBe('waits');
    expect((await state(acme, 80)).now()).toBe('service_unavailable');
  });

  it('are bounded for all keys of a tenant together, and for all tenants together', async () => {
    await answers.hold(acme, 100);
    expect((await state({ holder: 'key c', tenants: [3, 1] }, 60)).now()).toBe('waits');
    expect((await state({ holder: 'key c', tenants: [3] }, 60)).now()).toBe('room');
    expect((await state(other, 60)).now()).toBe('waits');
    expect((await state(other, 40)).now()).toBe('room');
  });

  it('that wait for room in one tenant take no room of another tenant', async () => {
    await answers.hold(acme, 100);
    expect((await state({ holder: 'key c', tenants: [3, 1] }, 60)).now()).toBe('waits');
    expect((await state({ holder: 'key d', tenants: [3] }, 100)).now()).toBe('room');
  });

  it('are corrected to the real size: a smaller answer frees room, and one that is too large is refused', async () => {
    const large = await answers.hold(acme, 90);
    const waiting = await state(acme, 90);
    large.settle(5);
    await turn();
    expect(waiting.now()).toBe('room');
    const room = await waiting.asked;
    expect(() => room.settle(96)).toThrow(expect.objectContaining(REFUSED));
    room.release();
    large.release();
    expect((await state(acme, 100)).now()).toBe('room');
  });

  it('give their room to others when their caller goes, and are refused if they waited', async () => {
    const [taken, waits] = [new AbortController(), new AbortController()];
    await answers.hold({ ...acme, gone: taken.signal }, 80);
    const left = await state({ ...acme, gone: waits.signal }, 80);
    const stays = await state(acme, 80);
    waits.abort();
    await turn();
    expect([left.now(), stays.now()]).toEqual(['request_timeout', 'waits']);
    taken.abort();
    await turn();
    expect(stays.now()).toBe('room');
    expect((await state({ ...other, gone: waits.signal }, 1)).now()).toBe('request_timeout');
    (await stays.asked).release();
    expect((await state(acme, 100)).now()).toBe('room');
  });

  it('give back the room of a caller who goes in the moment in which it gets it', async () => {
    const gone = new AbortController();
    const first = await answers.hold(acme, 80);
    const waiting = await state({ ...acme, gone: gone.signal }, 80);
    first.release();
    gone.abort();
    await turn();
    expect(waiting.now()).toBe('request_timeout');
    expect((await state(acme, 100)).now()).toBe('room');
  });

  it('take no room if their caller has gone', async () => {
    const room = await answers.hold(acme, 90);
    room.release();
    room.settle(90);
    expect((await state(acme, 100)).now()).toBe('room');
  });
});
