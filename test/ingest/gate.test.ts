import { IngestGate } from '../../src/modules/ingest/gate';

const [A, B, C] = [1, 2, 3];
const gateOf = (change: object = {}) =>
  new IngestGate({
    inWorkMax: 3,
    inWorkPerTenantMax: 2,
    waitingMax: 4,
    waitingPerTenantMax: 2,
    waitMs: 60_000,
    ...change,
  });
const BUSY = { code: 'service_unavailable', retryAfterSeconds: 1 };

describe('the ingest gate', () => {
  // A batch may still wait at the end of a test, and a real clock would refuse it during a later test.
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  /** Asks for entry. @returns the `leave` function once it is given, and a promise of that */
  const visit = (gate: IngestGate, tenantId: number, order: string[] = [], name = '') => {
    const seen: { leave: (() => void) | null } = { leave: null };
    const entered = gate.enter(tenantId).then((leave) => {
      seen.leave = leave;
      order.push(name);
    });
    return { seen, entered };
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('admits a bounded number of batches, lets a bounded number wait, and refuses the rest at once', async () => {
    const gate = gateOf({ inWorkMax: 1, inWorkPerTenantMax: 1, waitingMax: 1 });
    const leave = await gate.enter(A);
    const waiting = visit(gate, B);
    await expect(gate.enter(C)).rejects.toMatchObject(BUSY);
    leave();
    await waiting.entered;
  });

  it('never gives one tenant all turns, however many of its batches wait', async () => {
    const gate = gateOf();
    await gate.enter(A);
    await gate.enter(A);
    const third = visit(gate, A);
    const other = visit(gate, B);
    await settled();
    expect([third.seen.leave, other.seen.leave]).toEqual([null, expect.any(Function)]);
  });

  it('leaves waiting places for other tenants', async () => {
    const gate = gateOf({ inWorkMax: 1, inWorkPerTenantMax: 1 });
    await gate.enter(A);
    const waiting = [visit(gate, A), visit(gate, A)];
    await expect(gate.enter(A)).rejects.toMatchObject(BUSY);
    const other = visit(gate, B);
    await settled();
    expect([...waiting, other].map(({ seen }) => seen.leave)).toEqual([null, null, null]);
  });

  it('admits the tenant with the fewest turns first, and equals in the order of arrival', async () => {
    const gate = gateOf();
    const order: string[] = [];
    const [leaveA, , leaveC] = [await gate.enter(A), await gate.enter(A), await gate.enter(C)];
    const visits = [visit(gate, A, order, 'A'), visit(gate, C, order, 'C'), visit(gate, B, order, 'B')];
    leaveC();
    leaveA();
    await settled();
    expect(order).toEqual(['C', 'B']);
    visits[2]?.seen.leave?.();
    await visits[0]?.entered;
  });

  it('refuses a batch that waited too long, and gives its place to another', async () => {
    const gate = gateOf({ inWorkMax: 1, inWorkPerTenantMax: 1, waitingMax: 1, waitMs: 500 });
    const leave = await gate.enter(A);
    const late = gate.enter(B);
    jest.advanceTimersByTime(499);
    await expect(gate.enter(C)).rejects.toMatchObject(BUSY);
    jest.advanceTimersByTime(1);
    await expect(late).rejects.toMatchObject(BUSY);
    const next = gate.enter(C);
    leave();
    expect(await next).toBeInstanceOf(Function);
  });

  it('frees a place once, however often its leave is called', async () => {
    const gate = gateOf({ inWorkMax: 1, inWorkPerTenantMax: 1, waitingMax: 0 });
    const leave = await gate.enter(A);
    leave();
    leave();
    await gate.enter(A);
    await expect(gate.enter(B)).rejects.toMatchObject(BUSY);
  });
});
