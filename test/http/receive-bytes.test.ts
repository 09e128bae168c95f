import { PassThrough } from 'node:stream';
import type { Request, Response } from 'express';
import { receive } from '../../src/graphql/receive-bytes';
import { LIMITS } from '../../src/limits';

/** The bytes that must arrive between two checks. */
const ENOUGH = LIMITS.bodyBytesPerSecondMin * (LIMITS.bodySlowMs / 1_000);

describe('a body that is received', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  /** A body whose bytes arrive when `come` is called, which then moves the clock to the next check. */
  const receiving = () => {
    const socket = { bytesRead: 0 };
    const request = Object.assign(new PassThrough(), { socket, complete: false });
    const response = { shouldKeepAlive: true };
    const received = receive(
      request as unknown as Request,
      response as unknown as Response,
      null,
      () => null,
    ).then(
      (pieces) => String(Buffer.concat(pieces)),
      ({ code }) => code,
    );
    const come = (bytes: number) => {
      socket.bytesRead += bytes;
      jest.advanceTimersByTime(LIMITS.bodySlowMs);
      jest.advanceTimersByTime(1); // lets the fake clock run what is due at once
    };
    return { request, response, received, come };
  };

  it('is accepted at the least allowed speed, however long it takes', async () => {
    const { request, response, received, come } = receiving();
    for (let look = 0; look < 10; look++) come(ENOUGH);
    request.end('a body');
    expect([await received, response.shouldKeepAlive]).toEqual(['a body', true]);
  });

  it('is refused with 408 and a closed connection once it is slower, however fast it was before', async () => {
    const { request, response, received, come } = receiving();
    come(100 * ENOUGH);
    come(ENOUGH - 1);
    request.end('a body');
    expect([await received, response.shouldKeepAlive]).toEqual(['request_timeout', false]);
  });
});
