import { createHash } from 'node:crypto';
import { OwnPlaces, type WaitingPlaces } from '../../../src/caller/rate-limit/waiting-places';
import { tenantSet } from '../../../src/caller/tenant-set';
import { serviceUnavailable } from '../../../src/errors';
import { CursorSeal } from '../../../src/modules/tail/cursor';
import { Tail, type TailRequest } from '../../../src/modules/tail/tail';
import type { ArrivalPlace, ArrivalReader } from '../../../src/trail/arrivals/arrival-reader';

const TENANT = 7;
const seal = new CursorSeal([createHash('sha256').update('cursor').digest()]);

/** A tail without a database, and a clock that the test moves. */
class Trial {
  size = 0;
  ms = 0;
  /** What happens while the call waits; by default the whole time passes. */
  during = async (ms: number): Promise<boolean> => {
    this.ms += ms;
    return false;
  };
  whileLooking = () => {};
  /** The most events that one read returns. */
  atOnce = Number.POSITIVE_INFINITY;
  /** The place from which on reads are not answered. */
  failsFrom = Number.POSITIVE_INFINITY;

  readonly #reader = {
    sizes: async () => {
      this.whileLooking();
      return new Map([[TENANT, this.size]]);
    },
    readTexts: async ([{ tenantId, from }]: readonly [ArrivalPlace]) => {
      if (from >= this.failsFrom) throw serviceUnavailable(new Error('too slow'));
      const next = Math.min(this.size, from + this.atOnce);
      const places = Array.from({ length: next - from }, (_, i) => from + i);
      const items = places.map((position) => ({ position, json: `{"position":"${position}"}` }));
      return [{ tenantId, from, next, size: this.size, items, removed: 0, skipped: 0, bytes: 1 }];
    },
  };

  readonly tail: Tail;
  constructor(waitingPlaces: WaitingPlaces = new OwnPlaces()) {
    this.tail = new Tail({
      reader: this.#reader as unknown as ArrivalReader,
      news: { wait: (_known, ms) => this.during(ms) },
      fairShare: { run: (_asker, work) => work() },
      ...{ seal, waitingPlaces, listSources: async () => [], clockMs: () => this.ms },
    });
  }

  read(change: Partial<TailRequest> = {}) {
    return this.tail.read({
      ...{ tenants: tenantSet([TENANT]), holder: 'key', filters: {} as never, limit: 100, asTexts: true },
      ...{ cursor: null, from: 'now', waitSeconds: 20, withSources: false },
      ...{ gone: new AbortController().signal, whileWaiting: (wait) => wait() },
      ...change,
    });
  }

  readonly places = (cursor: string) => [...seal.open(cursor).positions];
}

describe('a call of the tail that waits', () => {
  it('reads once more when its time is over, so that events without a notice are in its answer', async () => {
    const trial = new Trial();
    trial.during = async (ms) => {
      trial.ms += ms;
      trial.size = 2;
      return false;
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
      return true;
    };
    const { items, nextCursor } = await trial.read();
    expect([items, waits]).toEqual([[], [20_000, 12_000, 4_000]]);
    expect(trial.places(nextCursor)).toEqual([[TENANT, 0]]);
  });

  it('returns a cursor that does not skip events which come after its last look', async () => {
    const trial = new Trial();
    const { nextCursor } = await trial.read();
    trial.size = 4;
    const next = await trial.read({ cursor: nextCursor, from: null });
    expect(next.items).toHaveLength(4);
  });

  it('ends at once when the service stops or the caller is gone', async () => {
    const trial = new Trial();
    const gone = new AbortController();
    let waits = 0;
    trial.during = async () => {
      waits++;
      gone.abort();
      return false;
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
      return true;
    };
    trial.whileLooking = () => held.push(places.waiting);
    expect((await trial.read()).items).toHaveLength(1);
    expect(held.slice(2)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(places.waiting).toBe(0);
  });

  it('is refused if its key has no waiting place left', async () => {
    const trial = new Trial({ waiting: 5, take: async () => null });
    await expect(trial.read()).rejects.toMatchObject({ code: 'rate_limited' });
    trial.size = 1;
    expect((await trial.read({ from: 'beginning' })).items).toHaveLength(1);
  });
});
