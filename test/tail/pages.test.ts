import { OwnPlaces } from '../../src/caller/rate-limit/waiting-places';
import { MARK } from '../../src/event/marks';
import { LIMITS } from '../../src/limits';
import { CursorSeal } from '../../src/modules/tail/cursor';
import { bytesOfTexts, inAnswer } from '../../src/modules/tail/page-texts';
import { SharedReads } from '../../src/modules/tail/shared-reads';
import { Tail } from '../../src/modules/tail/tail';
import type { ArrivalPlace, ArrivalReader } from '../../src/store/log/arrivals/arrival-reader';
import { NewArrivals } from '../../src/store/log/arrivals/new-arrivals';
import { tenantSet } from '../../src/tenant-set';
import { testEpoch } from '../support/epoch';

describe('a page of the tail', () => {
  it('is an array with a comma between its events, or lines', () => {
    const texts = ['{"a":1}', '{"b":2}', '{"c":3}'];
    expect(JSON.parse(`[${[...inAnswer(texts, false)].join('')}]`)).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
    expect([...inAnswer(texts, true)].join('')).toBe('{"a":1}\n{"b":2}\n{"c":3}\n');
    expect([...inAnswer([], false)].join('')).toBe('');
  });

  it('counts the bytes of the large statements that stand in it by their marks', () => {
    const mark = (bytes: number) => `${MARK}:7:019638ad-0a46-88cc-9858-2abc91547e33:300:${bytes};`;
    const texts = ['{"a":"é"}', `{"b":"${mark(5_000_000)}"}`, `{"c":"${mark(40)} ${mark(2)}"}`];
    const written = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(bytesOfTexts(texts)).toBe(written + 5_000_042);
  });

  it('begins with the tenant after the one that the page before ended with', async () => {
    const epoch = testEpoch();
    const seal = new CursorSeal({ epoch, formerKeys: [], nowMs: Date.now });
    const tenants = tenantSet([3, 4, 9]);
    const sizes = new Map(tenants.map((tenantId) => [tenantId, 10]));
    const reader = {
      sizes: async () => sizes,
      marks: async () => new Map(),
      readTexts: async (places: readonly ArrivalPlace[]) =>
        places.map(({ tenantId, from }, i) => {
          // One event of the first tenant, as a busy one fills a page.
          const items = i === 0 ? [{ position: from, json: `${tenantId}` }] : [];
          const next = from + items.length;
          return { tenantId, from, next, size: 10, items, removed: 0, others: [], skipped: 0, bytes: 1 };
        }),
    };
    const tail = new Tail({
      reader: reader as unknown as ArrivalReader,
      news: { wait: async () => null },
      seal,
      epoch,
      fairShare: { run: (_asker, work) => work() },
      waitingPlaces: new OwnPlaces(),
      listSources: async () => [],
      clockMs: () => 0,
    });
    const served: string[] = [];
    for (let cursor: string | null = null; served.length < 7; ) {
      const page = await tail.read({
        tenants,
        holder: 'key',
        filters: {} as never,
        limit: 1,
        asTexts: true,
        cursor,
        from: cursor === null ? 'beginning' : null,
        waitSeconds: 0,
        withSources: false,
        gone: new AbortController().signal,
        whileWaiting: (wait) => wait(),
      });
      served.push(...page.items.map((item) => ('json' in item ? item.json : '')));
      cursor = page.nextCursor;
    }
    expect(served).toEqual(['3', '4', '9', '3', '4', '9', '3']);
  });
});

describe('with a clock of the test', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('a read is shared for as long as calls may learn of news later than others, and a failed one is not', async () => {
    const shared = new SharedReads<number>();
    let reads = 0;
    const read = () => shared.run('key', async () => ++reads);
    expect([await read(), await read()]).toEqual([1, 1]);
    await jest.advanceTimersByTimeAsync(LIMITS.arrivalLookMs - 1);
    expect(await read()).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(await read()).toBe(2);
    const fail = () => shared.run('other', () => Promise.reject(new Error('away')));
    await expect(fail()).rejects.toThrow('away');
    expect(await shared.run('other', async () => 5)).toBe(5);
  });

  it('a call that waits is woken by more entries, and not by as many as it knows', async () => {
    let size = 4;
    const news = new NewArrivals({ sizes: async () => new Map([[7, size]]) });
    let woken: unknown = 'waits';
    void news.wait(new Map([[7, 4]]), 60_000).then((sizes) => {
      woken = sizes;
    });
    await jest.advanceTimersByTimeAsync(3 * LIMITS.arrivalLookMs);
    expect([woken, news.waiting]).toEqual(['waits', 1]);
    size = 5;
    await jest.advanceTimersByTimeAsync(LIMITS.arrivalLookMs);
    expect([woken, news.waiting]).toEqual([new Map([[7, 5]]), 0]);
  });

  it.each(['before it waits', 'while it waits'])(
    'a call whose caller goes %s ends at once, and nobody looks for it',
    async (when) => {
      let looks = 0;
      const news = new NewArrivals({ sizes: async () => new Map([[7, ++looks]]) });
      const gone = new AbortController();
      if (when === 'before it waits') gone.abort();
      let woken: unknown = 'waits';
      void news.wait(new Map([[7, 4]]), 60_000, gone.signal).then((sizes) => {
        woken = sizes;
      });
      if (when === 'while it waits') gone.abort();
      await jest.advanceTimersByTimeAsync(0);
      expect([woken, news.waiting]).toEqual([null, 0]);
      await jest.advanceTimersByTimeAsync(3 * LIMITS.arrivalLookMs);
      expect(looks).toBeLessThanOrEqual(1);
    },
  );
});
