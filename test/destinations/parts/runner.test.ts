import fc from 'fast-check';
import type { Outcome } from '../../../src/delivery/outcome';
import { LIMITS } from '../../../src/limits';
import { type Batch, batchId } from '../../../src/modules/destinations/batch';
import type { Destination } from '../../../src/modules/destinations/destination';
import { Planner } from '../../../src/modules/destinations/planner';
import { Runner } from '../../../src/modules/destinations/runner';
import { itemMaker } from '../../../src/modules/destinations/to-item';
import type { ArrivalLimits } from '../../../src/store/log/arrivals/arrival-reader';
import { SharedDestination } from './support/shared-destination';

const NOW_MS = Date.parse('2026-01-05T08:00:00Z');
const EVENTS_MAX = 4;
const REST_MS = 10_000;
const ACCEPTED: Outcome = { kind: 'accepted' };
const REFUSED: Outcome = { kind: 'refused', message: 'HTTP 400: bad event' };
const failure = (retryAfterMs?: number): Outcome => ({
  kind: 'failed',
  message: 'HTTP 503',
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});
const BAD = 'BAD';

/** One run against a receiver that answers as given. A failure ends the run. @returns the batches that were sent */
async function run(
  shared: SharedDestination,
  answer: (batch: Batch, count: number) => Outcome | Promise<Outcome>,
  { signal } = new AbortController(),
): Promise<readonly Batch[]> {
  const sent: Batch[] = [];
  const taken = await shared.store.take(shared.row);
  if (!taken) throw new Error('it is not free');
  const before = shared.changes.length;
  const isFailed = () => shared.changes.slice(before).some(({ failures }) => failures === 1);
  await new Runner(taken.destination, {
    lease: taken.lease,
    epoch: '',
    eventsMax: EVENTS_MAX,
    restMs: REST_MS,
    planner: new Planner(shared.feed, shared.row.tenantId, itemMaker(shared.row.filter, 'native')),
    sender: {
      send: async (batch) => {
        sent.push(batch);
        return answer(batch, sent.length);
      },
      close: () => {},
    },
    signal,
    random: () => 0.5,
    isTimeUp: isFailed,
    isOtherwise: async () => false,
  }).run();
  await taken.lease.release();
  return sent;
}
const sharing = (statements: number | (string | null)[], change: Partial<Destination> = {}) =>
  new SharedDestination(
    typeof statements === 'number' ? Array.from({ length: statements }, (_, i) => `SELECT ${i}`) : statements,
    change,
    () => NOW_MS,
  );
const positionsOf = ({ items }: Batch) => items.map(({ position }) => position);
const refusing = (batch: Batch): Outcome =>
  batch.items.some(({ json }) => json.includes(BAD)) ? REFUSED : ACCEPTED;
const removedOf = ({ changes }: SharedDestination) =>
  changes.reduce((sum, { removed = 0 }) => sum + removed, 0);

describe('a delivery', () => {
  it.each([
    [30_000, 0, 30_000],
    [7_200_000, 0, 3_600_000],
    [10_000, 7, 140_800],
    [undefined, 3, 8_800],
    [undefined, 7, 140_800],
  ])(
    'that is to be tried again after %s ms, and has failed %i times, waits %i ms',
    async (asked, attempts, waitMs) => {
      const shared = sharing(3, { attempts });
      expect(await run(shared, () => failure(asked))).toHaveLength(1);
      expect(shared.dueMs - NOW_MS).toBe(waitMs);
      expect(shared.row).toMatchObject({
        attempts: attempts + 1,
        failures: 1,
        lastError: 'HTTP 503',
        position: 0,
        state: 'active',
        batches: [{ from: 0, to: 3 }],
      });
    },
  );

  it('sends all events in order, in batches, and then rests', async () => {
    const shared = sharing(10, { attempts: 3, batchLimit: null });
    expect((await run(shared, () => ACCEPTED)).map(positionsOf)).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9],
    ]);
    expect(shared.row).toMatchObject({ position: 10, delivered: 10, attempts: 0, batches: [], failures: 0 });
    expect(shared.dueMs - NOW_MS).toBe(REST_MS);
    expect(shared.changes.map(({ isCaughtUp = false }) => isCaughtUp)).toEqual([false, false, false, true]);
  });

  it('passes events that its filter leaves out, and those that are gone, and then rests', async () => {
    const shared = sharing([null, 'SELECT 1', null], { filter: 'actionId:IN' });
    expect(await run(shared, () => ACCEPTED)).toEqual([]);
    expect(shared.row).toMatchObject({ position: 3, delivered: 0 });
    expect([removedOf(shared), shared.dueMs - NOW_MS]).toEqual([2, REST_MS]);
  });

  it('stores the bounds of a batch before it is sent', async () => {
    const shared = sharing(6);
    const known: unknown[] = [];
    await run(shared, () => {
      known.push([shared.row.position, shared.row.batches]);
      return ACCEPTED;
    });
    expect(known).toEqual([
      [0, [{ from: 0, to: 4 }]],
      [4, [{ from: 4, to: 6 }]],
    ]);
  });

  it('repeats a batch under the same id and bounds, also when further events are there', async () => {
    const shared = sharing(3);
    const [first] = await run(shared, () => failure());
    shared.statements.push('SELECT 3');
    const [again, next] = await run(shared, () => ACCEPTED);
    expect(again).toEqual(first);
    expect(next?.id).not.toBe(first?.id);
    expect(shared.row).toMatchObject({ position: 4, delivered: 4, failures: 1 });
  });

  it('keeps its lease while it looks for events', async () => {
    jest.useFakeTimers();
    const shared = sharing(3);
    const { read } = shared.feed;
    const { take } = shared.store;
    let renewals = 0;
    Object.assign(shared.feed, {
      read: async (...of: Parameters<typeof read>) => {
        await jest.advanceTimersByTimeAsync(13_000);
        return read(...of);
      },
    });
    Object.assign(shared.store, {
      take: async (...of: Parameters<typeof take>) => {
        const taken = await take(...of);
        const renew = taken?.lease.renew;
        const counted = async () => {
          renewals++;
          return renew?.() ?? null;
        };
        return taken && { ...taken, lease: Object.assign(taken.lease, { renew: counted }) };
      },
    });
    try {
      await run(shared, () => ACCEPTED);
    } finally {
      jest.useRealTimers();
    }
    expect(shared.row).toMatchObject({ position: 3, delivered: 3 });
    expect(renewals).toBeGreaterThanOrEqual(3);
  });

  it('keeps what the receiver took, although the events behind it cannot be read', async () => {
    const shared = sharing(6);
    const { read } = shared.feed;
    Object.assign(shared.feed, {
      read: async (tenantId: number, from: number, limits: ArrivalLimits) => {
        if (from >= EVENTS_MAX) throw new Error('the file of the week is away');
        return read(tenantId, from, { ...limits, end: EVENTS_MAX });
      },
    });
    const sent: Batch[] = [];
    for (let n = 0; n < 2; n++) {
      const taken = run(shared, (batch) => {
        sent.push(batch);
        return ACCEPTED;
      });
      await expect(taken).rejects.toThrow('the file of the week is away');
      shared.loseLease();
    }
    expect(sent.map(positionsOf)).toEqual([[0, 1, 2, 3]]);
    expect(shared.row).toMatchObject({ position: 4, delivered: 4, batches: [] });
  });

  it('pauses when the receiver wants nothing any more', async () => {
    const shared = sharing(2);
    await run(shared, () => ({ kind: 'gone', message: 'the receiver answered 410 Gone: over' }));
    expect(shared.row).toMatchObject({
      state: 'paused',
      position: 0,
      failures: 1,
      delivered: 0,
      lastError: 'paused: the receiver answered 410 Gone: over',
    });
  });

  it('sets aside what the receiver refused while it took the others of the batch', async () => {
    const shared = sharing(4);
    await run(shared, () => ({ kind: 'accepted', refused: [{ index: 2, message: 'mapping' }] }));
    expect(shared.row).toMatchObject({ delivered: 3, setAside: 1, position: 4 });
    expect(shared.setAside).toEqual([{ position: 2, recordId: 'record 2', message: 'mapping' }]);
  });

  it('fails where the receiver refuses more of a batch than may be set aside, and loses none', async () => {
    const shared = sharing(6, { setAside: LIMITS.destinationSetAsideMax - 1 });
    await run(shared, () => ({ kind: 'accepted', refused: [{ index: 1, message: 'mapping' }] }));
    expect(shared.row).toMatchObject({
      position: 4,
      setAside: LIMITS.destinationSetAsideMax,
      lastError: `more than ${LIMITS.destinationSetAsideMax} events are set aside`,
    });
    expect(shared.setAside.map(({ position }) => position)).toEqual([1]);
  });

  it('sends fewer events after a refusal, and twice as many after each success', async () => {
    const shared = sharing([BAD, ...Array.from({ length: 12 }, (_, i) => `SELECT ${i}`)]);
    const sent = await run(shared, refusing);
    expect(sent.map(({ items }) => items.length)).toEqual([4, 2, 1, 1, 2, 2, 4, 3]);
    expect(shared.row).toMatchObject({ position: 13, delivered: 12, setAside: 1, batchLimit: null });
  });

  it('sets up to five events in a row aside after the receiver took the next one, and no more', async () => {
    const five = sharing([...Array<string>(5).fill(BAD), 'SELECT 1']);
    await run(five, refusing);
    expect(five.setAside.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4]);
    expect(five.row).toMatchObject({ position: 6, delivered: 1 });
    const six = sharing([...Array<string>(6).fill(BAD), 'SELECT 1']);
    await run(six, refusing);
    expect(six.row).toMatchObject({
      position: 0,
      setAside: 0,
      attempts: 1,
      lastError: 'HTTP 400: bad event (the neighbours of the event were not taken either)',
    });
  });

  it('sets the last event aside only if the receiver took another one after it had refused that', async () => {
    const alone = sharing([BAD]);
    await run(alone, refusing);
    expect(alone.row).toMatchObject({ position: 0, setAside: 0, attempts: 1 });
    const last = sharing(['SELECT 1', BAD]);
    await run(last, refusing);
    expect(last.row).toMatchObject({ position: 2, setAside: 1, delivered: 1 });
  });

  it('sets nothing aside because of what the receiver took before it refused something', async () => {
    const shared = sharing(['SELECT 0', 'SELECT 1', 'SELECT 2', 'SELECT 3', BAD]);
    await run(shared, refusing);
    expect(shared.row).toMatchObject({ position: 4, delivered: 4, setAside: 0, attempts: 1 });
  });

  it('counts events that are gone behind the last batch', async () => {
    const shared = sharing(['SELECT 0', null, 'SELECT 2', null, null]);
    await run(shared, () => ACCEPTED);
    expect([shared.row.position, shared.row.delivered, removedOf(shared)]).toEqual([5, 2, 3]);
    // More than one statement reads.
    const long = sharing(['SELECT 0', 'SELECT 1', 'SELECT 2', 'SELECT 3', ...Array<null>(100).fill(null)]);
    await run(long, () => ACCEPTED);
    expect([long.row.position, long.row.delivered, removedOf(long)]).toEqual([104, 4, 100]);
  });

  it('counts no event again that was gone before the batch was repeated, and keeps the id of the batch', async () => {
    const batches = [{ from: 0, to: 4 }];
    const shared = sharing([null, null, 'SELECT 2', null], { position: 2, batches });
    const { destinationId, generation } = shared.row;
    const [sent] = await run(shared, () => ACCEPTED);
    expect(sent).toMatchObject({
      id: batchId('', destinationId, generation, { from: 0, to: 4 }, shared.markAt(4)),
      from: 0,
      to: 4,
    });
    expect([shared.row.position, shared.row.delivered, removedOf(shared)]).toEqual([4, 1, 1]);
  });

  it('passes a batch that is gone as a whole', async () => {
    const shared = sharing([null, null, 'SELECT 2'], { position: 2, batches: [{ from: 0, to: 2 }] });
    expect((await run(shared, () => ACCEPTED)).map(positionsOf)).toEqual([[2]]);
    expect([shared.row.position, removedOf(shared)]).toEqual([3, 0]);
  });

  it('counts no failure when the instance stops, but keeps what the receiver took', async () => {
    for (const [outcome, position] of [
      [failure(), 0],
      [ACCEPTED, 4],
    ] as const) {
      const shared = sharing(8);
      const stop = new AbortController();
      const stopping = () => {
        stop.abort();
        return outcome;
      };
      expect(await run(shared, stopping, stop)).toHaveLength(1);
      expect(shared.row).toMatchObject({ position, attempts: 0, failures: 0 });
    }
  });

  it('fails when too many events are set aside, and loses none', async () => {
    const shared = sharing([BAD, 'SELECT 1', BAD, 'SELECT 3'], {
      setAside: LIMITS.destinationSetAsideMax - 1,
    });
    await run(shared, refusing);
    expect(shared.row).toMatchObject({
      position: 2,
      setAside: LIMITS.destinationSetAsideMax,
      lastError: `more than ${LIMITS.destinationSetAsideMax} events are set aside`,
    });
  });

  it('ends when another instance has its lease, and stores nothing', async () => {
    const shared = sharing(8);
    const sent = await run(shared, () => {
      shared.loseLease();
      return ACCEPTED;
    });
    expect(sent).toHaveLength(1);
    expect(shared.row).toMatchObject({ position: 0, delivered: 0, batches: [{ from: 0, to: 4 }] });
  });

  it('ends after a batch when its secrets have changed, because its sender has the old ones', async () => {
    const shared = sharing(8);
    const sent = await run(shared, () => {
      shared.row = { ...shared.row, secrets: Buffer.from('other') };
      return ACCEPTED;
    });
    expect(sent).toHaveLength(1);
    expect(shared.row).toMatchObject({ position: 4, delivered: 4 });
  });

  it('ends after a batch when an operator has paused it', async () => {
    const shared = sharing(8);
    await run(shared, () => {
      shared.row = { ...shared.row, state: 'paused' };
      return ACCEPTED;
    });
    expect(shared.row).toMatchObject({ position: 4, state: 'paused' });
  });

  it('accounts for every event, whatever is refused, fails or is removed meanwhile', async () => {
    const kinds = fc.array(fc.constantFrom('SELECT', 'SELECT', BAD, null), { maxLength: 30 });
    const oneOf = fc.infiniteStream(fc.nat({ max: 99 }));
    await fc.assert(
      fc.asyncProperty(kinds, oneOf, async (log, chances) => {
        const chance = () => Number(chances.next().value);
        // Five bad events in a row have a neighbour that is taken, also at the end.
        const statements = log.flatMap((kind, i) => (i % 5 === 4 ? ['SELECT', kind] : [kind]));
        const shared = sharing([...statements, 'SELECT']);
        const ids = new Map<string, string>();
        const taken: (number | null)[] = [];
        for (let runs = 0; shared.row.position < shared.statements.length; runs++) {
          expect(runs).toBeLessThan(200);
          await run(shared, (batch) => {
            const bounds = `${batch.from}-${batch.to}`;
            expect(ids.get(bounds) ?? batch.id).toBe(batch.id);
            ids.set(bounds, batch.id);
            if (chance() < 25) return failure();
            const outcome = refusing(batch);
            if (outcome.kind === 'accepted') taken.push(...positionsOf(batch));
            return outcome;
          });
          // Retention removes an event that is not delivered yet, but never the last.
          const gone = shared.row.position + (chance() % 10);
          if (chance() < 30 && gone < shared.statements.length - 1 && !taken.includes(gone))
            shared.statements[gone] = null;
        }
        const { delivered, setAside } = shared.row;
        expect(taken).toEqual([...new Set(taken)].sort((a, b) => Number(a) - Number(b)));
        expect(delivered).toBe(taken.length);
        expect(delivered + setAside + removedOf(shared)).toBe(shared.statements.length);
        expect(shared.setAside.every(({ position }) => !taken.includes(position))).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});

it('the id of a batch changes with its epoch, destination, replay, bounds and last entry, and with nothing else', () => {
  const bounds = { from: 1, to: 2 };
  const ids = [
    batchId('e', 'd', 0, bounds, 'm'),
    batchId('f', 'd', 0, bounds, 'm'),
    batchId('e', 'c', 0, bounds, 'm'),
    batchId('e', 'd', 1, bounds, 'm'),
    batchId('e', 'd', 0, { from: 0, to: 2 }, 'm'),
    batchId('e', 'd', 0, { from: 1, to: 3 }, 'm'),
    batchId('e', 'd', 0, bounds, 'n'),
  ];
  expect(new Set(ids).size).toBe(7);
  expect(batchId('e', 'd', 0, { ...bounds }, 'm')).toBe(ids[0]);
});
