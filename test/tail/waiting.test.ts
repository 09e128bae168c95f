import { OwnPlaces, type WaitingPlaces } from '../../src/caller/rate-limit/waiting-places';
import { DomainError, NoTurn, serviceUnavailable } from '../../src/errors';
import { LIMITS } from '../../src/limits';
import { CursorSeal } from '../../src/modules/tail/cursor';
import { laterPage, Tail, type TailRequest } from '../../src/modules/tail/tail';
import { UnreadWeek } from '../../src/store/archive/archive';
import type { ArrivalLimits, ArrivalPlace, ArrivalReader } from '../../src/store/log/arrivals/arrival-reader';
import { NewArrivals } from '../../src/store/log/arrivals/new-arrivals';
import { tenantSet } from '../../src/tenant-set';
import { testEpoch } from '../support/epoch';
import { until } from '../support/until';

const TENANT = 7;
const epoch = testEpoch();
const seal = new CursorSeal({ epoch, formerKeys: [], nowMs: Date.now });

/** A tail without a database, and a clock that the test moves. */
class Trial {
  size = 0;
  ms = 0;
  reads = 0;
  /** Whether calls get their turn. */
  hasTurns = true;
  /** What happens while the call waits; by default the whole time passes. */
  during = async (ms: number): Promise<ReadonlyMap<number, number> | null> => {
    this.ms += ms;
    return null;
  };
  whileLooking = () => {};
  whileReading = () => {};
  /** What each read was allowed to cost. */
  readonly limits: ArrivalLimits[] = [];
  /** The bytes of each read. */
  bytes = 1;
  /** The most events that one read returns. */
  atOnce = Number.POSITIVE_INFINITY;
  /** The place from which on reads are not answered. */
  failsFrom = Number.POSITIVE_INFINITY;

  /** Of the entry before each position. */
  markAt = (position: number) => `hash ${position}`;

  readonly reader = {
    marks: async (positions: ReadonlyMap<number, number>) =>
      new Map([...positions].map(([tenantId, position]) => [tenantId, this.markAt(position)])),
    sizes: async () => {
      this.whileLooking();
      return this.sizes;
    },
    readTexts: async ([{ tenantId, from }]: readonly [ArrivalPlace], limits: ArrivalLimits) => {
      this.reads++;
      this.limits.push(limits);
      this.whileReading();
      if (from >= this.failsFrom) throw serviceUnavailable(new Error('too slow'));
      const next = Math.min(this.size, from + this.atOnce);
      const places = Array.from({ length: next - from }, (_, i) => from + i);
      const items = places.map((position) => ({ position, json: `{"position":"${position}"}` }));
      const { size, bytes } = this;
      return [{ tenantId, from, next, size, items, removed: 0, others: [], skipped: 0, bytes }];
    },
  };

  get sizes() {
    return new Map([[TENANT, this.size]]);
  }

  readonly tail: Tail;
  constructor(waitingPlaces: WaitingPlaces = new OwnPlaces()) {
    this.tail = new Tail({
      reader: this.reader as unknown as ArrivalReader,
      news: { wait: (_known, ms) => this.during(ms) },
      fairShare: {
        run: (_asker, work) =>
          this.hasTurns ? work() : Promise.reject(new NoTurn({ public: 'as many as may run' })),
      },
      seal,
      epoch,
      waitingPlaces,
      listSources: async () => [],
      clockMs: () => this.ms,
    });
  }

  read(change: Partial<TailRequest> = {}) {
    return this.tail.read({
      tenants: tenantSet([TENANT]),
      holder: 'key',
      filters: {} as never,
      limit: 100,
      asTexts: true,
      cursor: null,
      from: 'now',
      waitSeconds: 20,
      withSources: false,
      gone: new AbortController().signal,
      whileWaiting: (wait) => wait(),
      ...change,
    });
  }

  readonly places = (cursor: string) => [...seal.open(cursor).positions];
}

describe('a cursor whose entry is another one, as after a fail-over that lost entries', () => {
  const REFUSED = { code: 'cursor_of_earlier_log' };
  let trial: Trial;
  let cursor: string;
  let noticed: jest.SpyInstance;
  beforeEach(async () => {
    noticed = jest.spyOn(epoch, 'noticeSetBack');
    trial = new Trial();
    trial.size = 3;
    cursor = (await trial.read({ from: 'beginning' })).nextCursor;
  });
  afterEach(() => noticed.mockRestore());
  const goOn = () => trial.read({ from: null, cursor });
  const lose = () => {
    trial.markAt = (position) => `other ${position}`;
    trial.size = 9;
  };

  it('is refused, and the set-back is noticed; one of the same log goes on', async () => {
    trial.size = 5;
    expect((await goOn()).items).toHaveLength(2);
    expect(noticed).not.toHaveBeenCalled();
    lose();
    await expect(goOn()).rejects.toMatchObject(REFUSED);
    expect(noticed).toHaveBeenCalledWith(epoch.state.epoch, expect.stringContaining('not the one'));
  });

  it('is not refused because one of its tenants is disabled', async () => {
    const other = { disabled: [TENANT + 1], waitSeconds: 0 };
    ({ nextCursor: cursor } = await trial.read({ ...other, from: 'now' }));
    const goOnOf = () => trial.read({ ...other, from: null, cursor });
    for (const size of [4, 6]) {
      trial.size = size;
      const page = await goOnOf();
      expect(trial.places(page.nextCursor)).toEqual([
        [TENANT, size],
        [TENANT + 1, 0],
      ]);
      cursor = page.nextCursor;
    }
    lose();
    await expect(goOnOf()).rejects.toMatchObject(REFUSED);
  });

  it('is refused although the entries were lost while the call waited', async () => {
    trial.during = async () => {
      lose();
      return trial.sizes;
    };
    await expect(goOn()).rejects.toMatchObject(REFUSED);
  });

  it('is not asked for where the database has no time for it: the events are answered', async () => {
    trial.size = 4;
    const { marks } = trial.reader;
    trial.reader.marks = () => Promise.reject(serviceUnavailable(new Error('busy')));
    const { items, nextCursor } = await trial.read({ from: 'beginning' });
    expect([items.length, seal.open(nextCursor).mark]).toEqual([4, null]);
    trial.reader.marks = marks;
    expect(seal.open((await trial.read({ from: null, cursor: nextCursor })).nextCursor).mark).not.toBeNull();
  });

  it('is not refused where the database had no time for it before the call waited', async () => {
    trial.size = 4;
    const { marks } = trial.reader;
    trial.reader.marks = () => Promise.reject(serviceUnavailable(new Error('busy')));
    trial.during = async () => {
      trial.reader.marks = marks;
      trial.size = 6;
      return trial.sizes;
    };
    const { items } = await trial.read({ from: 'now', waitSeconds: 4 });
    expect(items).toHaveLength(2);
    expect(noticed).not.toHaveBeenCalled();
  });

  it('is not refused where the log had no hash when it was given', async () => {
    trial.size = 4;
    const { marks } = trial.reader;
    trial.reader.marks = async () => new Map();
    const { nextCursor } = await trial.read({ from: 'beginning' });
    trial.reader.marks = marks;
    trial.size = 7;
    expect((await trial.read({ from: null, cursor: nextCursor })).items).toHaveLength(3);
    expect(noticed).not.toHaveBeenCalled();
  });

  it('is not refused while the log has no hash there: the log is damaged, and nobody knows that it is another', async () => {
    const { marks } = trial.reader;
    trial.reader.marks = async () => new Map();
    expect((await goOn()).items).toEqual([]);
    trial.reader.marks = marks;
  });
});

describe('the number of removed events', () => {
  /** A log whose events stand at these positions; the events of the others are gone. */
  const tailOf = (positions: readonly number[], size: number) => {
    const reader = {
      sizes: async () => new Map([[TENANT, size]]),
      marks: async () => new Map(),
      readTexts: async ([{ tenantId, from }]: readonly [ArrivalPlace], { events }: { events: number }) => {
        const left = positions.filter((position) => position >= from);
        const items = left.slice(0, events + 2).map((position) => ({ position, json: `${position}` }));
        const next = left[events + 2] ?? size;
        const removed = next - from - items.length;
        return [{ tenantId, from, next, size, items, removed, others: [], skipped: 0, bytes: 1 }];
      },
    };
    return new Tail({
      reader: reader as unknown as ArrivalReader,
      news: { wait: async () => null },
      fairShare: { run: (_asker, work) => work() },
      seal,
      epoch,
      waitingPlaces: new OwnPlaces(),
      listSources: async () => [],
      clockMs: () => 0,
    });
  };
  const request = (limit: number, cursor: string | null): TailRequest => ({
    tenants: tenantSet([TENANT]),
    holder: 'key',
    filters: {} as never,
    limit,
    asTexts: true,
    cursor,
    from: cursor === null ? 'beginning' : null,
    waitSeconds: 0,
    withSources: false,
    gone: new AbortController().signal,
    whileWaiting: (wait) => wait(),
  });

  it.each([1, 2, 3, 100])(
    'covers each passed position once, with at most %i events in an answer',
    async (limit) => {
      const positions = [2, 3, 7, 11, 12];
      const tail = tailOf(positions, 15);
      let [cursor, passed]: [string | null, number] = [null, 0];
      const seen: number[] = [];
      for (let isEnd = false; !isEnd; ) {
        const page = await tail.read(request(limit, cursor));
        const place = [...seal.open(page.nextCursor).positions][0]?.[1] ?? 0;
        expect(page.removed).toBe(place - passed - page.items.length);
        [cursor, passed, isEnd] = [page.nextCursor, place, page.caughtUp];
        seen.push(...page.items.map(({ position }) => position));
      }
      expect(seen).toEqual(positions);
    },
  );
});

describe('a call of the tail that waits', () => {
  it('reads once more when its time is over, so that events without a notice are in its answer', async () => {
    const trial = new Trial();
    trial.during = async (ms) => {
      trial.ms += ms;
      trial.size = 2;
      return null;
    };
    const { items, caughtUp, nextCursor } = await trial.read();
    expect(items).toHaveLength(2);
    expect([caughtUp, ...trial.places(nextCursor)]).toEqual([true, [TENANT, 2]]);
  });

  it('returns the existing events, however long it took to find the end of the tail', async () => {
    const trial = new Trial();
    trial.size = 3;
    trial.whileLooking = () => {
      trial.ms += 10_000;
    };
    expect((await trial.read({ from: 'beginning' })).items).toHaveLength(3);
  });

  it('answers with what it has read if the database stops answering, and fails if it has read nothing', async () => {
    const trial = new Trial();
    [trial.size, trial.atOnce, trial.failsFrom] = [9, 2, 4];
    const { items, caughtUp, nextCursor } = await trial.read({ from: 'beginning' });
    expect([items.length, caughtUp, ...trial.places(nextCursor)]).toEqual([4, false, [TENANT, 4]]);
    await expect(trial.read({ from: null, cursor: nextCursor })).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });

  it('waits on if it was woken for nothing, and never longer than it was asked to', async () => {
    const trial = new Trial();
    const waits: number[] = [];
    trial.during = async (ms) => {
      waits.push(ms);
      trial.ms += 8_000;
      return trial.sizes;
    };
    const { items, nextCursor } = await trial.read();
    expect([items, waits]).toEqual([[], [20_000, 12_000, 4_000]]);
    expect(trial.places(nextCursor)).toEqual([[TENANT, 0]]);
  });

  it('is not at the end where the file of a week of one of its tenants is away', async () => {
    const trial = new Trial();
    const [other, unread] = [TENANT + 1, new DomainError('service_unavailable', { public: 'away' })];
    const { readTexts } = trial.reader;
    Object.assign(trial.reader, {
      sizes: async () => new Map([...trial.sizes, [other, 2]]),
      readTexts: async (places: readonly [ArrivalPlace], limits: ArrivalLimits) => {
        if (places.some(({ tenantId }) => tenantId === other)) throw new UnreadWeek(other, unread);
        return readTexts(places, limits);
      },
    });
    trial.size = 3;
    const page = await trial.read({ tenants: tenantSet([TENANT, other]), from: 'beginning' });
    expect([page.items.length, page.caughtUp]).toEqual([3, false]);
    expect(trial.places(page.nextCursor)).toEqual([
      [TENANT, 3],
      [other, 0],
    ]);
  });

  it('can leave all its events to a later call, which begins where this one began', async () => {
    const trial = new Trial();
    trial.size = 5;
    const first = await trial.read({ from: 'beginning', limit: 2 });
    expect(trial.places(first.startCursor)).toEqual([[TENANT, 0]]);
    const { nextCursor: cursor } = first;
    const second = await trial.read({ from: null, cursor });
    expect([second.startCursor, trial.places(second.nextCursor)]).toEqual([cursor, [[TENANT, 5]]]);
    expect(laterPage(second)).toEqual({
      items: [],
      startCursor: cursor,
      nextCursor: cursor,
      sources: null,
      caughtUp: false,
      removed: 0,
    });
  });

  it('reads no more positions and no more bytes than one answer may cost, and asks for what is left of both', async () => {
    for (const [bytes, answers] of [
      [1, 5],
      [LIMITS.tailReadBytes / 2, 2],
      [LIMITS.tailReadBytes, 1],
    ] as const) {
      const trial = new Trial();
      [trial.size, trial.atOnce, trial.bytes] = [9, 2, bytes];
      const { items, caughtUp } = await trial.read({ from: 'beginning', limit: 9 });
      expect([items.length, caughtUp]).toEqual([Math.min(9, answers * 2), answers === 5]);
      expect(trial.limits.map((limits) => [limits.events, limits.positions, limits.bytes])).toEqual(
        Array.from({ length: answers }, (_, i) => [
          9 - i * 2,
          LIMITS.tailPositionsMax - i * 2,
          LIMITS.tailReadBytes - i * bytes,
        ]),
      );
    }
    const trial = new Trial();
    [trial.size, trial.atOnce] = [LIMITS.tailPositionsMax + 2, LIMITS.tailPositionsMax];
    const { items } = await trial.read({ from: 'beginning', limit: LIMITS.tailPositionsMax * 2 });
    expect(items).toHaveLength(LIMITS.tailPositionsMax);
  });

  it('stops reading once its time for work is over, and after one read at the earliest', async () => {
    const trial = new Trial();
    [trial.size, trial.atOnce] = [9, 2];
    trial.whileReading = () => {
      trial.ms += LIMITS.tailWorkMs / 2;
    };
    expect((await trial.read({ from: 'beginning' })).items).toHaveLength(4);
    const gone = new AbortController();
    trial.whileReading = () => gone.abort();
    expect((await trial.read({ from: 'beginning', gone: gone.signal })).items).toHaveLength(2);
  });

  it('returns a cursor that does not skip events which come after its last look', async () => {
    const trial = new Trial();
    const { nextCursor } = await trial.read();
    trial.size = 4;
    const next = await trial.read({ cursor: nextCursor, from: null });
    expect(next.items).toHaveLength(4);
  });

  it('refuses a cursor that is further than the log is long, and has the restored database noticed', async () => {
    const trial = new Trial();
    trial.size = 9;
    const { nextCursor } = await trial.read();
    trial.size = 8;
    const noticed = jest.spyOn(epoch, 'noticeSetBack');
    await expect(trial.read({ cursor: nextCursor, from: null })).rejects.toMatchObject({
      code: 'cursor_of_earlier_log',
    });
    expect(noticed.mock.calls).toEqual([[epoch.state.epoch, expect.any(String)]]);
    noticed.mockRestore();
  });

  it('ends at once when the service stops or the caller is gone', async () => {
    const trial = new Trial();
    const gone = new AbortController();
    let waits = 0;
    trial.during = async () => {
      waits++;
      gone.abort();
      return null;
    };
    expect((await trial.read({ gone: gone.signal })).items).toEqual([]);
    expect(waits).toBe(1);
  });

  it('keeps its waiting place until it answers, and then gives the place back', async () => {
    const places = new OwnPlaces();
    const trial = new Trial(places);
    let rounds = 0;
    const held: number[] = [];
    trial.during = async () => {
      held.push(places.waiting);
      if (++rounds === 3) trial.size = 1;
      return trial.sizes;
    };
    trial.whileLooking = () => held.push(places.waiting);
    expect((await trial.read()).items).toHaveLength(1);
    // The first two looks are before the wait.
    expect(held).toEqual([0, 0, 1, 1, 1]);
    expect(places.waiting).toBe(0);
  });

  it('is refused if its key has no waiting place left', async () => {
    const asked: [string, number][] = [];
    const trial = new Trial({
      waiting: 5,
      take: async (holder, ms) => {
        asked.push([holder, ms]);
        return null;
      },
    });
    trial.whileLooking = () => {
      trial.ms += 300;
    };
    await expect(trial.read({ waitSeconds: 7 })).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining(`${LIMITS.tailWaitingPerKey} calls of this key wait`),
      retryAfterSeconds: 1,
    });
    // Its place is kept for what is left of the wait, and for a last read.
    expect(asked).toEqual([['key', 7_000 - 600 + 5_000]]);
    trial.whileLooking = () => {};
    trial.size = 1;
    expect((await trial.read({ from: 'beginning' })).items).toHaveLength(1);
  });

  describe('with many others', () => {
    /** Wakes all waiting calls at once. */
    const together = () => {
      let wake = () => {};
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      return { wake: () => wake(), woken };
    };
    const waitingAt = (trial: Trial) => {
      const { wake, woken } = together();
      let count = 0;
      trial.during = async () => {
        count++;
        await woken;
        return trial.sizes;
      };
      return { wake, waiting: () => count };
    };

    it('reads once for all that wait at the same place, whatever their limits', async () => {
      const trial = new Trial();
      const { nextCursor: cursor } = await trial.read({ from: 'beginning', waitSeconds: 0 });
      const { wake, waiting } = waitingAt(trial);
      const limits = [1, 2, 100, 7, 1_000];
      const calls = limits.map((limit, i) => trial.read({ from: null, cursor, limit, holder: `key ${i}` }));
      await until(waiting, (count) => count === limits.length);
      trial.size = 5;
      wake();
      const pages = await Promise.all(calls);
      expect(pages.map(({ items }) => items.length)).toEqual([1, 2, 5, 5, 5]);
      expect(pages.map(({ caughtUp }) => caughtUp)).toEqual([false, false, true, true, true]);
      expect(pages.map(({ nextCursor }) => trial.places(nextCursor)[0]?.[1])).toEqual([1, 2, 5, 5, 5]);
      expect(trial.reads).toBe(1);
    });

    it('reads for each place that calls wait at', async () => {
      const trial = new Trial();
      trial.size = 3;
      const at = async (limit: number) =>
        (await trial.read({ from: 'beginning', waitSeconds: 0, limit })).nextCursor;
      const cursors = [await at(3), await at(3)];
      const { wake, waiting } = waitingAt(trial);
      const [first, second] = cursors.map((cursor) => trial.read({ from: null, cursor }));
      await until(waiting, (count) => count === 2);
      trial.size = 4;
      trial.reads = 0;
      wake();
      expect((await first)?.items).toEqual((await second)?.items);
      expect(trial.reads).toBe(1);
    });

    it('refuses those alone whose cursor is of the log as it was before', async () => {
      const trial = new Trial();
      trial.size = 3;
      const setBack = new Trial();
      setBack.size = 3;
      setBack.markAt = (position) => `other ${position}`;
      const cursorOf = async (of: Trial) => (await of.read({ from: 'beginning', waitSeconds: 0 })).nextCursor;
      const [before, after] = [await cursorOf(trial), await cursorOf(setBack)];
      const { wake, waiting } = waitingAt(trial);
      const earlier = trial.read({ from: null, cursor: before }).catch(({ code }) => code);
      await until(waiting, (count) => count === 1);
      trial.markAt = setBack.markAt;
      const later = trial.read({ from: null, cursor: after });
      await until(waiting, (count) => count === 2);
      trial.size = 4;
      wake();
      expect([await earlier, (await later).items.length]).toEqual(['cursor_of_earlier_log', 1]);
    });

    it('answers without events, and with a cursor of the same place, if it gets no turn', async () => {
      const trial = new Trial();
      const { nextCursor: cursor } = await trial.read({ from: 'beginning', waitSeconds: 0 });
      trial.during = async () => {
        [trial.size, trial.hasTurns] = [5, false];
        return trial.sizes;
      };
      const page = await trial.read({ from: null, cursor });
      expect([page.items, page.caughtUp, page.removed]).toEqual([[], false, 0]);
      expect(trial.places(page.nextCursor)).toEqual(trial.places(cursor));
      trial.hasTurns = true;
      expect((await trial.read({ from: null, cursor: page.nextCursor })).items).toHaveLength(5);
    });

    it.each(['by a look', 'by a notice'])(
      'answers in the same way if the database is too busy once it wakes %s, and then fails if it does not wait',
      async (how) => {
        const trial = new Trial();
        const { nextCursor: cursor } = await trial.read({ from: 'beginning', waitSeconds: 0 });
        trial.during = async (ms) => {
          trial.size = 5;
          trial.failsFrom = 0;
          if (how === 'by a notice') return trial.sizes;
          trial.ms += ms;
          trial.whileLooking = () => {
            throw serviceUnavailable(new Error('too slow'));
          };
          return null;
        };
        const page = await trial.read({ from: null, cursor });
        expect([page.items, page.caughtUp, page.removed]).toEqual([[], false, 0]);
        expect(trial.places(page.nextCursor)).toEqual(trial.places(cursor));
        await expect(trial.read({ from: null, cursor: page.nextCursor })).rejects.toMatchObject({
          code: 'service_unavailable',
        });
        trial.failsFrom = Number.POSITIVE_INFINITY;
        trial.whileLooking = () => {};
        expect((await trial.read({ from: null, cursor: page.nextCursor })).items).toHaveLength(5);
      },
    );

    it('answers in the same way if there is no room to go on after the wait', async () => {
      const trial = new Trial();
      const { nextCursor: cursor } = await trial.read({ from: 'beginning', waitSeconds: 0 });
      const whileWaiting = () => {
        trial.size = 5;
        return Promise.reject(serviceUnavailable(new Error('no place')));
      };
      const page = await trial.read({ from: null, cursor, whileWaiting });
      expect([page.items, page.caughtUp, trial.places(page.nextCursor)]).toEqual([[], false, [[TENANT, 0]]]);
      const refused = () => Promise.reject(new Error('the key has ended'));
      trial.size = 0;
      await expect(trial.read({ from: null, cursor, whileWaiting: refused })).rejects.toThrow('ended');
    });
  });
});

it('a call that waits for several tenants hears of news of any of them, also where another one has a log no more', async () => {
  const sizes = new Map([
    [7, 3],
    [9, 4],
  ]);
  const news = new NewArrivals({ sizes: async () => new Map(sizes) });
  const known = new Map([...sizes, [8, 5]]);
  expect(await news.wait(known, 3 * LIMITS.arrivalLookMs)).toBeNull();
  const heard = news.wait(known, 60_000);
  sizes.set(9, 5);
  expect(await heard).toEqual(sizes);
});
