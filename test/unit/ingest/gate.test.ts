import { IngestGate } from '../../../src/ingest/gate';

describe('the ingest gate', () => {
  it('lets so many in, makes so many wait, and turns the rest away at once', async () => {
    const gate = new IngestGate(2, 1);
    const [first, second] = [await gate.enter(), await gate.enter()];
    const waiting = gate.enter();
    expect(await gate.enter()).toBeNull();
    expect(first && second).toBeTruthy();
    first?.();
    expect(await waiting).toBeInstanceOf(Function);
    expect(await Promise.race([gate.enter(), Promise.resolve('waits')])).toBe('waits');
  });

  it('calls those who wait in the order they came', async () => {
    const gate = new IngestGate(1, 3);
    const order: number[] = [];
    const leave = await gate.enter();
    const visits = [1, 2, 3].map(async (visitor) => {
      const leaveAgain = await gate.enter();
      order.push(visitor);
      leaveAgain?.();
    });
    leave?.();
    await Promise.all(visits);
    expect(order).toEqual([1, 2, 3]);
  });

  it('counts a leave once, however often it is called', async () => {
    const gate = new IngestGate(1, 0);
    const leave = await gate.enter();
    leave?.();
    leave?.();
    expect(await gate.enter()).not.toBeNull();
    expect(await gate.enter()).toBeNull();
  });
});
