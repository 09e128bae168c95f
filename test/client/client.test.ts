import { getEventListeners } from 'node:events';

/** What the tests use of the client: its own types are made when it is packed. */
interface Batch {
  readonly items: readonly unknown[];
  readonly caughtUp: boolean;
  readonly removed: number;
  readonly cursor: string;
}
interface Listed extends AsyncIterable<{ readonly recordId: string }> {
  pages(): AsyncGenerator<{ readonly data: readonly unknown[] }>;
}
interface Client {
  events(query?: object): Listed;
  event(recordId: string): Promise<unknown>;
  summary(query?: object): Promise<unknown>;
  sources(query?: object): AsyncIterable<unknown>;
  tail(options?: object): AsyncGenerator<Batch>;
  export(options?: object): AsyncGenerator<{ readonly recordId: string }>;
}
const { AuditActivityClient, isCursorRefused, ...errors } = jest.requireActual<
  {
    AuditActivityClient: new (options: object) => Client;
    isCursorRefused: (error: unknown) => boolean;
  } & Readonly<Record<string, new (...given: never[]) => Error>>
>('../../client/src/index');

type Answer = (url: URL, init: RequestInit) => Response | Promise<Response>;
const json = (body: object) => () => Response.json(body);
const refusal =
  (status: number, code?: string, headers: Record<string, string> = {}): Answer =>
  () =>
    Response.json(code ? { error: { code, message: 'no', requestId: 'r1' } } : {}, { status, headers });
const broken: Answer = () => Promise.reject(new TypeError('network'));
/** An answer of pieces of text. @param isCut whether the connection breaks after them */
const streamed =
  (pieces: readonly (string | Uint8Array)[], isCut = false): Answer =>
  () =>
    new Response(
      new ReadableStream({
        start: (to) => {
          for (const piece of pieces)
            to.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
          if (!isCut) to.close();
        },
        pull: (to) => to.error(new TypeError('network')),
      }),
    );
const page = (ids: readonly string[], hasNextPage = false) =>
  json({ data: ids.map((recordId) => ({ recordId })), meta: { page: 1, totalCount: 9, hasNextPage } });

/** The time limit of a call, which differs from every wait. */
const LIMIT_MS = 41_000;

describe('the client', () => {
  let asked: string[];
  let sent: RequestInit[];
  let waits: number[];
  let onWait: (work: () => void) => void;
  beforeEach(() => {
    [asked, sent, waits, onWait] = [[], [], [], (work) => work()];
    jest.spyOn(Math, 'random').mockReturnValue(1);
    // Waits are noted and end at once; the time limit of a call does not.
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms: number) => {
      if (ms === LIMIT_MS) return 0;
      waits.push(ms);
      queueMicrotask(() => onWait(work));
      return 0;
    }) as never);
  });
  afterEach(() => jest.restoreAllMocks());

  /** A client whose calls get these answers, in this order. */
  const clientOf = (answers: readonly Answer[], options: object = {}) => {
    const left = [...answers];
    return new AuditActivityClient({
      baseUrl: 'https://audit.example/below//',
      apiKey: 'k1',
      timeoutMs: LIMIT_MS,
      fetch: async (url: URL, init: RequestInit) => {
        asked.push(`${url.pathname}${url.search}`);
        sent.push(init);
        const answer = left.shift();
        if (!answer) throw new Error('asked too often');
        return answer(url, init);
      },
      ...options,
    });
  };
  const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
    const found: T[] = [];
    for await (const one of items) found.push(one);
    return found;
  };
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error) => error,
    );

  it('asks with its key, below the path of its address, for what is given alone', async () => {
    const detail = { recordId: 'a/b' };
    expect(await clientOf([json({ data: detail })]).event('a/b')).toEqual(detail);
    const query = { succeeded: false, search: 'x & y', startTime: undefined };
    expect(await clientOf([json({ data: { total: 3 } })]).summary(query)).toEqual({ total: 3 });
    expect(await clientOf([json({ data: {} })]).summary()).toEqual({});
    expect(await all(clientOf([page(['s'])]).sources({ hostName: 'h' }))).toHaveLength(1);
    expect(await all(clientOf([page(['s'])]).events({ pageSize: 7 }))).toHaveLength(1);
    expect(asked).toEqual(
      [
        '/a%2Fb',
        '/summary?succeeded=false&search=x+%26+y',
        '/summary',
        ...['?pageSize=100&hostName=h&page=1', '?pageSize=7&page=1'],
      ].map((rest, i) => `/below/api/v1/public/${i === 3 ? 'audit-sources' : 'audit-activity'}${rest}`),
    );
    for (const { headers } of sent) expect(headers).toEqual({ 'X-Api-Key': 'k1' });
  });

  it('asks for pages when they are needed, up to the last one', async () => {
    const pages = clientOf([page(['9', '8'], true), page(['7'], true), page(['6'])])
      .events()
      .pages();
    expect((await pages.next()).value).toMatchObject({ data: [{ recordId: '9' }, { recordId: '8' }] });
    expect(asked).toHaveLength(1);
    expect(await all(pages)).toHaveLength(2);
    expect(asked.map((one) => new URLSearchParams(one.split('?')[1]).get('page'))).toEqual(['1', '2', '3']);
  });

  it.each([
    [{}, ['9', '8', '8', '9', '7'], ['9', '8', '7']],
    [{ sortBy: 'eventTime' }, ['9', '8', '8'], ['9', '8']],
    [{ sortBy: 'Timestamp', sortDirection: 'asc' }, ['1', '2', '2', '1', '3'], ['1', '2', '3']],
    // The order of another column says nothing of what came before.
    [{ sortBy: 'hostName' }, ['9', '8', '8', '9'], ['9', '8', '8', '9']],
  ])('with %j gives each event once as far as its order shows', async (query, ids, given) => {
    const events = clientOf([page(ids.slice(0, 2), true), page(ids.slice(2))]).events(query);
    expect((await all(events)).map(({ recordId }) => recordId)).toEqual(given);
  });

  it.each([
    [400, 'invalid_parameter', 'InvalidParameterError'],
    [401, 'unauthorized', 'UnauthorizedError'],
    [403, 'forbidden', 'ForbiddenError'],
    [404, 'not_found', 'NotFoundError'],
    [409, 'cursor_of_earlier_log', 'CursorOfEarlierLogError'],
    [422, 'of_a_later_version', 'ApiError'],
  ])('does not ask again after %i %s', async (status, code, name) => {
    const error = await failureOf(clientOf([refusal(status, code)]).summary());
    expect(error).toBeInstanceOf(errors[name]);
    expect(error).toMatchObject({ name, status, code, requestId: 'r1', retryAfterSeconds: null });
    expect(error.message).toBe(`${code}: no (request r1)`);
    // After a 403 the cursor goes on where it stood, once the key has its right again.
    expect(isCursorRefused(error)).toBe([400, 409].includes(status));
  });

  it.each([
    [408, undefined, 'ApiError'],
    [409, 'conflict', 'ApiError'],
    [429, 'rate_limited', 'RateLimitedError'],
    [500, 'internal_error', 'ApiError'],
    [503, 'service_unavailable', 'ServiceUnavailableError'],
  ])('asks again after %i %s, with waits that grow to a bound', async (status, code, name) => {
    const refused = refusal(status, code);
    const error = await failureOf(clientOf(Array(8).fill(refused), { retries: 7 }).summary());
    expect([error.name, asked.length]).toEqual([name, 8]);
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    expect(isCursorRefused(error)).toBe(false);
  });

  it('waits at least half of it, so that many callers do not come back at once', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    await clientOf([broken, broken, json({ data: {} })]).summary();
    expect(waits).toEqual([250, 500]);
  });

  it('asks again six times in all unless told otherwise, and not at all where it is told so', async () => {
    const error = await failureOf(clientOf(Array(6).fill(broken)).summary());
    expect(error).toBeInstanceOf(errors.ConnectionError);
    expect(error.cause).toEqual(new TypeError('network'));
    expect(asked).toHaveLength(6);
    await failureOf(clientOf([broken], { retries: 0 }).summary());
    expect(asked).toHaveLength(7);
  });

  it('waits as long as the service says, also not at all', async () => {
    const answers = [
      refusal(429, 'rate_limited', { 'Retry-After': '17' }),
      refusal(503, undefined, { 'Retry-After': '0' }),
      refusal(503, undefined, { 'Retry-After': 'Sat, 10 Jan 2026 12:00:00 GMT' }),
      json({ data: { total: 1 } }),
    ];
    expect(await clientOf(answers).summary()).toEqual({ total: 1 });
    expect(waits).toEqual([17_000, 0, 2_000]);
  });

  it('tells of an answer that is none of the service', async () => {
    const proxy: Answer = () =>
      new Response('<html>', { status: 502, headers: { 'X-Request-Id': 'p1', 'Retry-After': '3' } });
    const error = await failureOf(clientOf([proxy], { retries: 0 }).summary());
    expect(error).toMatchObject({ status: 502, code: 'unknown', requestId: 'p1', retryAfterSeconds: 3 });
    expect(error.message).toBe('unknown: HTTP 502 (request p1)');
    const both = refusal(404, 'not_found', { 'X-Request-Id': 'p2' });
    expect(await failureOf(clientOf([both]).summary())).toMatchObject({ requestId: 'r1' });
    const bare = await failureOf(clientOf([refusal(404)]).summary());
    expect([bare.message, bare.requestId]).toEqual(['unknown: HTTP 404', null]);
  });

  it('ends a call without an answer in time, and asks again', async () => {
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void) => void work()) as never);
    const silent: Answer = (_url, { signal }) =>
      new Promise((_answer, reject) => {
        if (signal?.aborted) reject(signal.reason);
        else signal?.addEventListener('abort', () => reject(signal.reason));
      });
    const error = await failureOf(clientOf([silent, silent], { retries: 1 }).summary());
    expect(error).toBeInstanceOf(errors.ConnectionError);
    expect([error.cause.message, asked.length]).toEqual([`no answer in ${LIMIT_MS} ms`, 2]);
  });

  it('ends a wait when its caller does, with the reason of the caller', async () => {
    const stop = new AbortController();
    onWait = () => stop.abort(new Error('enough'));
    const tail = clientOf([refusal(503)]).tail({ signal: stop.signal });
    expect(await failureOf(tail.next())).toEqual(new Error('enough'));
    expect(await failureOf(clientOf([]).tail({ signal: stop.signal }).next())).toEqual(new Error('enough'));
    expect(asked).toHaveLength(1);
  });

  it('does not begin a wait after its caller has ended the call', async () => {
    const stop = new AbortController();
    onWait = () => {};
    const ended: Answer = (...asks) => {
      stop.abort(new Error('enough'));
      return refusal(429, 'rate_limited', { 'Retry-After': '3600' })(...asks);
    };
    const tail = clientOf([ended]).tail({ signal: stop.signal });
    expect(await failureOf(tail.next())).toEqual(new Error('enough'));
    expect(waits).toEqual([]);
  });

  it('ends a call when its caller does, and does not ask again', async () => {
    const stop = new AbortController();
    const silent: Answer = (_url, { signal }) => {
      stop.abort(new Error('enough'));
      return Promise.reject(signal?.reason);
    };
    const tail = clientOf([silent]).tail({ signal: stop.signal });
    expect(await failureOf(tail.next())).toEqual(new Error('enough'));
  });

  describe('its tail', () => {
    const batch = (cursor: string, items: readonly string[] = [], meta: object = {}) =>
      json({ data: items, meta: { nextCursor: cursor, caughtUp: false, removed: 0, ...meta } });
    const storeOf = (cursor: string | null) => {
      const saved: (string | null)[] = [cursor];
      return {
        saved,
        load: async () => saved.at(-1) ?? null,
        save: async (one: string) => void saved.push(one),
      };
    };

    it('begins at the beginning, goes on behind each batch, and stores a cursor once its batch was used', async () => {
      const store = storeOf(null);
      const tail = clientOf([
        batch('c1', ['a', 'b'], { caughtUp: true, removed: 4 }),
        batch('c2'),
        batch('c3'),
      ]).tail({
        store,
        hostName: 'h',
      });
      expect((await tail.next()).value).toEqual({
        items: ['a', 'b'],
        caughtUp: true,
        removed: 4,
        cursor: 'c1',
      });
      expect(store.saved).toEqual([null]);
      await tail.next();
      expect(store.saved).toEqual([null, 'c1']);
      await tail.next();
      await tail.return(undefined);
      expect(store.saved).toEqual([null, 'c1', 'c2']);
      expect(asked.map((one) => one.split('?')[1])).toEqual([
        'hostName=h&from=beginning&wait=20',
        'hostName=h&cursor=c1&wait=20',
        'hostName=h&cursor=c2&wait=20',
      ]);
    });

    it('goes on from a cursor that is kept, and otherwise begins where it is told', async () => {
      await clientOf([batch('c9')])
        .tail({ store: storeOf('c8'), from: 'now' })
        .next();
      await clientOf([batch('c1')])
        .tail({ from: 'now', wait: 3 })
        .next();
      expect(asked.map((one) => one.split('?')[1])).toEqual(['cursor=c8&wait=20', 'from=now&wait=3']);
    });

    it('asks again for ever while what failed may pass', async () => {
      const tail = clientOf([...Array(40).fill(broken), batch('c1')], { retries: 2 }).tail();
      expect((await tail.next()).value).toMatchObject({ cursor: 'c1' });
      expect(Math.max(...waits)).toBe(8_000);
    });
  });

  describe('its export', () => {
    const line = (recordId: string) => `${JSON.stringify({ recordId })}\n`;
    const END = '{"end":{"count":3}}\n';
    const idsOf = async (answers: readonly Answer[], options: object = {}) => {
      const ids: string[] = [];
      const error = await failureOf(
        (async () => {
          for await (const { recordId } of clientOf(answers).export(options)) ids.push(recordId);
        })(),
      );
      return [ids, error?.message ?? null];
    };

    it('is read in pieces of any size, up to its last line', async () => {
      const [begin, rest] = [line('ü').slice(0, 13), line('ü').slice(13)];
      const bytes = Buffer.from(begin + rest + line('b'));
      const at = bytes.indexOf(0xc3) + 1;
      const pieces = [bytes.subarray(0, at), bytes.subarray(at), END];
      expect(await idsOf([streamed(pieces)], { filter: 'f' })).toEqual([['ü', 'b'], null]);
      expect(asked).toEqual(['/below/api/v1/public/audit-activity/export?filter=f&end=1']);
    });

    it('goes on behind its last event after its stream broke off or ended too soon', async () => {
      const answers = [
        streamed([line('a'), line('b'), '{"record'], true),
        streamed([line('c')]),
        streamed([END]),
      ];
      expect(await idsOf(answers, { filter: 'f' })).toEqual([['a', 'b', 'c'], null]);
      expect(asked.map((one) => new URLSearchParams(one.split('?')[1]).get('cursor'))).toEqual([
        ...[null, 'b', 'c'],
      ]);
      // Each of them is of the events that were asked for.
      for (const one of asked) expect(one).toContain('?filter=f&end=1');
    });

    it('may take any time once it has begun', async () => {
      let limit: () => void = () => {};
      jest.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void) => {
        limit = work;
        return 7;
      }) as never);
      jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
        if (Number(timer) === 7) limit = () => {};
      });
      const events = clientOf([streamed([line('a'), END])]).export();
      await events.next();
      limit();
      expect(sent[0]?.signal?.aborted).toBe(false);
    });

    it.each([
      [true, 'the export broke off'],
      [false, 'the export ended before its last line'],
    ])('says that it is only a part after it went on too often: %j', async (isCut, said) => {
      const answers = (count: number) =>
        Array.from({ length: count }, (_, i) => streamed([line(`${i}`)], isCut));
      expect(await idsOf(answers(6))).toEqual([['0', '1', '2', '3', '4', '5'], said]);
      expect(await idsOf(answers(2), { resumes: 1 })).toEqual([['0', '1'], said]);
    });

    it('leaves nothing of failed attempts at the signal of its caller', async () => {
      const { signal } = new AbortController();
      const failing = [broken, refusal(503), refusal(429), broken];
      const events = clientOf([...failing, streamed([line('a'), END])]).export({ signal });
      await events.next();
      expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1);
    });

    it.each([5, 0])('ends with the reason of its caller where it may go on %i times', async (resumes) => {
      const stop = new AbortController();
      const events = clientOf([streamed([line('a')], true)]).export({ signal: stop.signal, resumes });
      await events.next();
      stop.abort(new Error('enough'));
      expect(await failureOf(events.next())).toEqual(new Error('enough'));
      expect(asked).toHaveLength(1);
    });
  });
});
