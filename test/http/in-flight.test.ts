import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { InFlight } from '../../src/http/in-flight';
import { LIMITS } from '../../src/limits';

describe('requests in work', () => {
  const inFlight = new InFlight(3, 2);
  /** @returns a function that ends the request; null if the request was refused */
  const begin = (ip: string): (() => void) | null => {
    const response = new EventEmitter();
    try {
      inFlight.admit({ ip } as Request, response as unknown as Response, () => {});
    } catch {
      return null;
    }
    return () => void response.emit('close');
  };

  it('of one address leave places to other addresses, and an IPv6 network counts as one address', () => {
    const first = begin('2001:db8::1');
    expect(begin('2001:db8::2')).not.toBeNull();
    expect(begin('2001:db8::3')).toBeNull();
    const other = begin('192.0.2.1');
    expect([other === null, inFlight.count]).toEqual([false, 3]);
    expect(begin('192.0.2.2')).toBeNull();
    first?.();
    expect([inFlight.count, begin('192.0.2.2') === null, inFlight.count]).toEqual([2, false, 3]);
  });

  describe('that waited', () => {
    const request = { ip: '192.0.2.7' } as Request;
    const opened = (inWork: InFlight) => {
      const response = Object.assign(new EventEmitter(), { closed: false }) as unknown as Response;
      inWork.admit(request, response, () => {});
      return response;
    };
    beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
    afterEach(() => jest.useRealTimers());

    it('wait for a place if others have taken theirs, and are refused only after a time', async () => {
      const inWork = new InFlight(3, 2);
      let wake = () => {};
      const woken = new Promise<string>((resolve) => {
        wake = () => resolve('news');
      });
      const first = inWork.whileWaiting(request, opened(inWork), () => woken);
      const second = inWork.whileWaiting(request, opened(inWork), () => woken);
      const others = [opened(inWork), opened(inWork)];
      wake();
      const settled: string[] = [];
      first.then((value) => settled.push(value));
      second.catch(({ code }) => settled.push(code));
      await jest.advanceTimersByTimeAsync(LIMITS.answerWaitMs - 10);
      expect([settled, inWork.count]).toEqual([[], 2]);
      others[0]?.emit('close');
      await jest.advanceTimersByTimeAsync(0);
      expect([settled, inWork.count]).toEqual([['news'], 2]);
      await jest.advanceTimersByTimeAsync(20);
      expect([settled, inWork.count]).toEqual([['news', 'service_unavailable'], 2]);
    });

    it('take no place where their caller left meanwhile: nobody would leave it', async () => {
      const inWork = new InFlight(3, 2);
      const response = opened(inWork);
      const left = async () => {
        Object.assign(response, { closed: true }).emit('close');
        return 'news';
      };
      expect([await inWork.whileWaiting(request, response, left), inWork.count]).toEqual(['news', 0]);
    });
  });
});
