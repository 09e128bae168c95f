import type { Outcome } from '../../../src/delivery/outcome';
import type { Batch } from '../../../src/modules/destinations/batch';
import type { Destination } from '../../../src/modules/destinations/destination';
import { Planner } from '../../../src/modules/destinations/planner';
import { Runner } from '../../../src/modules/destinations/runner';
import { itemMaker } from '../../../src/modules/destinations/to-item';
import { SharedDestination } from './support/shared-destination';

const NOW_MS = Date.parse('2026-01-05T08:00:00Z');
const failure = (retryAfterMs?: number): Outcome => ({
  ...{ kind: 'failed', message: 'HTTP 503' },
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

/** One run of a destination against a receiver that answers as given. */
async function run(
  shared: SharedDestination,
  answer: (batch: Batch, count: number) => Outcome,
): Promise<readonly Batch[]> {
  const sent: Batch[] = [];
  const taken = await shared.store.take(shared.row);
  if (!taken) throw new Error('it is not free');
  await new Runner(taken.destination, {
    ...{ lease: taken.lease, epoch: '', eventsMax: 4, restMs: 10_000 },
    planner: new Planner(shared.feed, shared.row.tenantId, itemMaker(shared.row.filter, 'native')),
    sender: {
      send: async (batch) => {
        sent.push(batch);
        return answer(batch, sent.length);
      },
      close: () => {},
    },
    ...{ signal: new AbortController().signal, random: () => 0.5, isTimeUp: () => false },
  }).run();
  await taken.lease.release();
  return sent;
}
const sharing = (count: number, change: Partial<Destination> = {}) =>
  new SharedDestination(
    Array.from({ length: count }, (_, i) => `SELECT ${i}`),
    change,
    () => NOW_MS,
  );

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
        ...{ attempts: attempts + 1, failures: 1, lastError: 'HTTP 503', position: 0, state: 'active' },
        batches: [{ from: 0, to: 3 }],
      });
    },
  );
});
