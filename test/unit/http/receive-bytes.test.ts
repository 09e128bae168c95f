import { PassThrough } from 'node:stream';
import type { Request, Response } from 'express';
import { receive } from '../../../src/graphql/receive-bytes';
import { LIMITS } from '../../../src/limits';

/** What has to come between two looks. */
const ENOUGH = LIMITS.bodyBytesPerSecondMin * (LIMITS.bodySlowMs / 1_000);

describe('a body that is received', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  /** One whose bytes come as they are told to, each time up to the next look. */
  const receiving = () => {
    const socket = { bytesRead: 0 };
    const request = Object.assign(new PassThrough(), { socket, complete: false });
    const response = { shouldKeepAlive: true };
    const received = receive(
      request as unknown as Request,
      response as unknown as Response,
      null,
      () => null,
    ).then(String, ({ code }) => code);
    const come = (bytes: number) => {
      socket.bytesRead += bytes;
      jest.advanceTimersByTime(LIMITS.bodySlowMs);
      jest.advanceTimersByTime(1); // in which the fake clock runs what is to run at once
    };
    return { request, response, received, come };
  };

  it('is taken at the least speed, however long that takes', async () => {
    const { request, response, received, come } = receiving();
    for (let look = 0; look < 10; look++) come(ENOUGH);
    request.end('a body');
    expect([await received, response.shouldKeepAlive]).toEqual(['a body', true]);
  });

  it('ends with 408 and its connection once it comes slower, whatever came before', async () => {
    const { request, response, received, come } = receiving();
    come(100 * ENOUGH);
    come(ENOUGH - 1);
    request.end('a body');
    expect([await received, response.shouldKeepAlive]).toEqual(['request_timeout', false]);
  });
});
