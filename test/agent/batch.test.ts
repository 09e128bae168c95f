import { Batcher } from '../../agent/batcher';

describe('a batch', () => {
  const event = (bytes: number) => ({ json: '', bytes, eventTime: '' });
  it('is full by number or bytes, and due by age', () => {
    const batcher = new Batcher({ eventsMax: 3, bytesMax: 100, ageMaxMs: 500 });
    expect(batcher.dueAtMs).toBeNull();
    batcher.add(event(10), 1_000);
    batcher.add(event(10), 1_400);
    expect([batcher.isFull, batcher.dueAtMs]).toEqual([false, 1_500]);
    batcher.add(event(10), 1_400);
    expect(batcher.isFull).toBe(true);
    expect(batcher.take()).toHaveLength(3);
    batcher.add(event(100), 2_000);
    expect(batcher.isFull).toBe(true);
  });
});
