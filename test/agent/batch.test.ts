import { Batcher } from '../../agent/batcher';
import type { AuditRecord } from '../../src/event/audit-record';
import { jsonsOf } from './support/queued';

describe('a batch', () => {
  /** An event whose JSON is 32 bytes longer than the text. */
  const record = (eventTime = '') => ({ eventTime }) as AuditRecord;
  it('is full at its most events or its most bytes, and is due at its greatest age', () => {
    const batcher = new Batcher({ eventsMax: 3, bytesMax: 150, ageMaxMs: 500 });
    expect(batcher.dueAtMs).toBeNull();
    batcher.add(record(), 'X', 1_000);
    batcher.add(record(), 'X', 1_400);
    expect([batcher.isFull, batcher.dueAtMs]).toEqual([false, 1_500]);
    batcher.add(record(), 'X', 1_400);
    expect(batcher.isFull).toBe(true);
    expect(batcher.take()).toHaveLength(3);
    expect(batcher.dueAtMs).toBeNull();
    batcher.add(record('x'.repeat(150)), 'X', 2_000);
    expect(batcher.isFull).toBe(true);
    // What stands between events does not count.
    for (const [bytesMax, isFull] of [
      [66, true],
      [67, false],
    ] as const) {
      const exact = new Batcher({ eventsMax: 9, bytesMax, ageMaxMs: 500 });
      for (let n = 0; n < 2; n++) exact.add(record(), 'X', 1_000);
      expect([bytesMax, exact.isFull]).toEqual([bytesMax, isFull]);
    }
  });
  it('holds the JSON of each event unchanged, however long, and names the newest event', () => {
    const batcher = new Batcher({ eventsMax: 3, bytesMax: 100, ageMaxMs: 500 });
    const times = ['b', 'ü€\ud83d\ude00'.repeat(50_000), 'a'];
    for (const time of times) batcher.add(record(time), 'X', 1_000);
    const events = batcher.take();
    expect(jsonsOf(events).map((json) => JSON.parse(json))).toEqual(
      times.map((eventTime) => ({ eventTime, sourceType: 'X' })),
    );
    expect(JSON.parse(`[${events.json}]`)).toHaveLength(3);
    expect(events.newestTime).toBe(times[1]);
    batcher.add(record('a'), 'X', 1_000);
    expect(batcher.take().newestTime).toBe('a');
  });
});
