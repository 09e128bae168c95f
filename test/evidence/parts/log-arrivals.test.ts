import fc from 'fast-check';
import type { Step } from '../../../src/database/clients';
import { LogArrivals } from '../../../src/modules/evidence/log-arrivals';
import { PUT_MINUTES } from '../../../src/modules/evidence/log-statements';
import { arrivalTimes, GrowingRuns } from '../../../src/store/log/arrivals/arrival-runs';

const MINUTE_MS = 60_000;

/** Batches of a log: how many entries each appends, and when they were received. */
const batches = fc.array(
  fc.record({
    count: fc.integer({ min: 0, max: 300 }),
    // A clock may go back, and a release before did not store the time.
    ms: fc.option(fc.integer({ min: 1, max: 20 * MINUTE_MS })),
    isSaved: fc.boolean(),
  }),
  { maxLength: 12 },
);

describe('the times at which entries arrived', () => {
  it('are stored once for neighbours of the same time, and as unknown for entries of a release without them', () => {
    const runs = new GrowingRuns(null, 10);
    for (const [end, ms] of [
      [12, 5],
      [15, 5],
      [16, 6],
    ] as const)
      runs.append(end, ms);
    expect(runs.bytes).toHaveLength(3 * 8);
    expect(arrivalTimes(runs.bytes, 16)).toEqual([...Array(10).fill(null), 5, 5, 5, 5, 5, 6]);
  });

  it('begin in each minute, that is later than all before it, with the first entry of that minute', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const rows: [number, number][] = [];
        const step = (async (text: string, values: readonly unknown[]) => {
          if (text !== PUT_MINUTES) return [{ minute: rows.at(-1)?.[0] ?? null }];
          const [, minutes, positions] = values as [number, number[], number[]];
          minutes.forEach((minute, i) => void rows.push([minute, positions[i] as number]));
          return [];
        }) as Step;
        const expected: [number, number][] = [];
        const times: (number | null)[] = [];
        let log = new LogArrivals(0, null);
        for (const { count, ms, isSaved } of all) {
          const minute = Math.floor((ms ?? 0) / MINUTE_MS);
          if (ms !== null && count > 0 && minute > (expected.at(-1)?.[0] ?? -1))
            expected.push([minute, times.length]);
          log.append(count, ms);
          times.push(...new Array<number | null>(count).fill(ms));
          if (!isSaved) continue;
          await log.saveMinutes(step, 7);
          const open = Buffer.from(log.of(Math.floor(times.length / 256)) ?? '', 'base64');
          log = new LogArrivals(times.length, open);
        }
        await log.saveMinutes(step, 7);
        expect(rows).toEqual(expected);
        const last = Math.floor(times.length / 256) * 256;
        const stored = Buffer.from(log.of(last / 256) ?? '', 'base64');
        expect(arrivalTimes(stored, times.length - last)).toEqual(times.slice(last));
      }),
    );
  });
});
