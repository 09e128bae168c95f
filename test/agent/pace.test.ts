import fc from 'fast-check';
import { Pace } from '../../agent/pace';

const never = new AbortController().signal;

/** A pace on a clock of its own, which a batch and each wait move. */
function paced(bytesPerSecond: number, processorPercent: number) {
  let [nowMs, cpuMs, wallMs] = [1_000, 500, 0];
  const clock = {
    now: () => wallMs,
    elapsed: () => nowMs,
    wait: async (ms: number) => {
      nowMs += ms;
    },
  };
  const pace = new Pace({ bytesPerSecond, processorPercent }, clock, () => cpuMs);
  return {
    /** Takes time, some of it of the processor, and then asks for room. @returns when it has it, in ms since the start */
    async batch(bytes: number, ms = 0, ofProcessor = 0) {
      nowMs += ms;
      cpuMs += ofProcessor;
      await pace.room(bytes, never);
      return nowMs - 1_000;
    },
    setClock(ms: number) {
      wallMs += ms;
    },
  };
}

describe('the pace of an agent', () => {
  it('is bounded by bytes: a batch waits for what the one before has cost', async () => {
    const { batch } = paced(10_000, 100);
    expect(await batch(20_000)).toBe(0);
    expect(await batch(5_000, 300)).toBe(2_000);
    expect(await batch(5_000)).toBe(2_500);
    // Nothing was published for long: that is no reason to publish more at once.
    expect(await batch(10_000, 60_000)).toBe(62_500);
    expect(await batch(1)).toBe(63_500);
  });

  it('is bounded by the time of the processor', async () => {
    const { batch } = paced(0, 25);
    expect(await batch(1, 100, 100)).toBe(400);
    expect(await batch(1, 50, 10)).toBe(450);
    expect(await batch(1, 100, 50)).toBe(650);
  });

  it('with both bounds waits for the one that asks for more', async () => {
    const { batch } = paced(10_000, 25);
    expect(await batch(10_000, 100, 50)).toBe(200);
    // 1,000 ms for the bytes, and 40 or 2,000 for the processor.
    expect(await batch(10_000, 0, 10)).toBe(1_200);
    expect(await batch(1, 0, 500)).toBe(3_200);
  });

  it('has no bound by default, and waits no longer after a clock was set back', async () => {
    const { batch } = paced(0, 100);
    for (let n = 1; n <= 3; n++) expect(await batch(1e9, 10, 10)).toBe(10 * n);
    const slow = paced(10_000, 100);
    await slow.batch(10_000);
    slow.setClock(-3_600_000);
    expect(await slow.batch(10_000)).toBe(1_000);
  });

  it('is one for all databases', async () => {
    const waits: number[] = [];
    const clock = {
      now: () => 0,
      elapsed: () => 7_000,
      wait: async (ms: number) => {
        waits.push(ms);
      },
    };
    const pace = new Pace({ bytesPerSecond: 20_000, processorPercent: 100 }, clock);
    await Promise.all([10_000, 10_000, 1].map((bytes) => pace.room(bytes, never)));
    expect(waits).toEqual([500, 1_000]);
  });

  it('never exceeds its bounds by more than the last batch', async () => {
    const batches = fc.array(fc.record({ bytes: fc.nat(50_000), ms: fc.nat(3_000), share: fc.nat(100) }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(
        batches,
        fc.integer({ min: 10_000, max: 90_000 }),
        fc.integer({ min: 1, max: 99 }),
        async (given, rate, percent) => {
          const { batch } = paced(rate, percent);
          let [bytes, cpu] = [0, 0];
          for (const { bytes: more, ms, share } of given) {
            cpu += (ms * share) / 100;
            const atMs = await batch(more, ms, (ms * share) / 100);
            expect(bytes).toBeLessThanOrEqual((rate * atMs) / 1_000 + 1);
            expect(cpu).toBeLessThanOrEqual((percent * atMs) / 100 + 1);
            bytes += more;
          }
        },
      ),
    );
  });
});
