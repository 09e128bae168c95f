import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { takeBytes } from '../../src/graphql/read-body';
import { LIMITS } from '../../src/limits';

const AGENT = { kind: 'agent', keyId: 'k1', name: 'SQL01', tenantId: 1 };
/** What one key may have at once. */
const SHARE = 1_000;

describe('a body whose caller has left', () => {
  let take: ReturnType<typeof takeBytes>;
  beforeEach(() => {
    jest.replaceProperty(LIMITS, 'bodiesBytesMax', (SHARE * LIMITS.shareOfOne) as never);
    take = takeBytes();
  });
  afterEach(() => jest.restoreAllMocks());

  function sending() {
    const request = Object.assign(new PassThrough(), {
      ...{ socket: { bytesRead: 0 }, complete: false, body: undefined as unknown },
      is: () => 'application/json',
      get: () => undefined,
    });
    const response = Object.assign(new EventEmitter(), {
      locals: { principal: AGENT },
      shouldKeepAlive: true,
    });
    const taken = Promise.resolve(take(request as never, response as never, () => {})).then(
      () => Buffer.concat(request.body as Buffer[]).length,
      ({ code }) => code,
    );
    const send = async (bytes: number) => {
      const came = once(request, 'data');
      request.write(Buffer.alloc(bytes));
      await came;
    };
    return { request, response, taken, send };
  }

  it('gives its bytes back, and takes none of those that still come', async () => {
    for (let n = 0; n < 3; n++) {
      const left = sending();
      await left.send(0.6 * SHARE);
      left.response.emit('close');
      await left.send(0.6 * SHARE);
      expect(await left.taken).toBe('service_unavailable');
    }
    const whole = sending();
    await whole.send(SHARE);
    whole.request.end();
    expect(await whole.taken).toBe(SHARE);
    const more = sending();
    await more.send(1);
    expect(await more.taken).toBe('service_unavailable');
    whole.response.emit('close');
    const last = sending();
    await last.send(SHARE);
    last.request.end();
    expect(await last.taken).toBe(SHARE);
  });
});
