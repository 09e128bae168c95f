import { LIMITS } from '../../src/limits';
import { RefusedBatches } from '../../src/modules/ingest/refused-batches';

const { refusedBytesPerSecond, refusedEventsPerSecond, refusedFreeMs, refusedDebtMsMax, ingestWaitMs } =
  LIMITS;

/** The batches of keys, and the time at which each was looked at. */
class Trial {
  ms = 5_000;
  readonly seen: [string, number][] = [];
  readonly batches = new RefusedBatches(
    () => this.ms,
    async (ms) => {
      this.ms += ms;
    },
  );
  async send(key: string, bytes = 1_000): Promise<number> {
    const came = this.ms;
    await this.batches.enter(key, bytes);
    return this.ms - came;
  }
}

describe('batches of which most is rejected', () => {
  it.each([
    ['bytes', refusedBytesPerSecond, 0],
    ['rejected events', 0, refusedEventsPerSecond],
  ])('let the next batch of their key wait, and no other, by their %s', async (_, bytes, rejected) => {
    const trial = new Trial();
    trial.batches.note('bad', 2 * bytes, 2 * rejected);
    expect(await trial.send('good')).toBe(0);
    expect(await trial.send('bad', 0)).toBeCloseTo(2_000 - refusedFreeMs);
  });

  it('keep the debt of their key when a batch of another one is rejected', async () => {
    const trial = new Trial();
    trial.batches.note('bad', 0, 2 * refusedEventsPerSecond);
    trial.batches.note('also bad', 0, refusedEventsPerSecond / 2);
    expect(await trial.send('bad', 0)).toBeCloseTo(2_000 - refusedFreeMs);
  });

  it('delay nothing if they are few and small', async () => {
    const trial = new Trial();
    for (let i = 0; i < 100; i++) trial.batches.note('key', 4_000, 5);
    expect(await trial.send('key')).toBe(0);
  });

  it('never delay the next batch so long that it is refused, which may be sound', async () => {
    const trial = new Trial();
    for (let i = 0; i < 50; i++) trial.batches.note('key', 0, refusedEventsPerSecond);
    const waited = await trial.send('key', 0);
    expect(waited).toBeCloseTo(refusedDebtMsMax - refusedFreeMs);
    expect(waited).toBeLessThan(ingestWaitMs);
  });

  it('are looked at one after the other: each waits for those that came before', async () => {
    const trial = new Trial();
    trial.batches.note('key', 0, refusedEventsPerSecond);
    // The bytes of each take half a second.
    const waits = [];
    for (let i = 0; i < 4; i++) waits.push(await trial.send('key', refusedBytesPerSecond / 2));
    expect(waits.map(Math.round)).toEqual([0, 500, 500, 500]);
  });

  it('count their bytes once, when they come or when they are refused', async () => {
    const trial = new Trial();
    trial.batches.note('key', 0, refusedEventsPerSecond);
    await trial.send('key', refusedBytesPerSecond);
    trial.batches.note('key', refusedBytesPerSecond, refusedEventsPerSecond);
    // One second of each of the two batches' events, and one of bytes.
    expect(await trial.send('key', 0)).toBeCloseTo(3_000 - refusedFreeMs);
  });

  it('are refused if others of the key would have to wait too long before them', async () => {
    const trial = new Trial();
    trial.batches.note('key', 0, refusedEventsPerSecond);
    await trial.send('key', 7 * refusedBytesPerSecond);
    await expect(trial.send('key')).rejects.toMatchObject({
      code: 'service_unavailable',
      retryAfterSeconds: 1,
    });
  });

  it('are forgotten with time', async () => {
    const trial = new Trial();
    trial.batches.note('key', 0, 3 * refusedEventsPerSecond);
    trial.ms += 3_000;
    expect(await trial.send('key')).toBe(0);
    trial.batches.note('key', refusedBytesPerSecond, 0);
    expect(await trial.send('key', 0)).toBe(0);
  });
});
