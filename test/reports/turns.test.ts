import { FairShare, REPORT_SHARES } from '../../src/caller/rate-limit/fair-share';
import { CallerGone } from '../../src/errors';
import { findReport } from '../../src/modules/reports/declarations';
import { type MakeRequest, makeInTurn } from '../../src/modules/reports/maker';

/** Runs that end when a test lets them, by their holder. */
function slowMaker() {
  const running = new Map<string, () => void>();
  const make = async ({ holder }: MakeRequest) => {
    await new Promise<void>((resolve) => running.set(holder, resolve));
    running.delete(holder);
    return `run of ${holder}`;
  };
  const turns = new FairShare(REPORT_SHARES, 'new reports');
  const inTurn = makeInTurn({ make }, turns);
  const report = findReport('activity') as NonNullable<ReturnType<typeof findReport>>;
  const ask = (holder: string, tenantId: number, gone?: AbortSignal) =>
    inTurn({
      ...{ report, holder, createdBy: holder, assertAllowed: async () => {} },
      ...{ tenants: [tenantId, 99], values: { tenantId: String(tenantId), format: 'csv' } },
      ...(gone && { gone }),
    } as unknown as MakeRequest);
  return { ask, running, turns };
}
const names = (running: ReadonlyMap<string, unknown>) => [...running.keys()].sort().join();
const turnsTaken = () => new Promise((resolve) => setImmediate(resolve));

describe('runs of reports that callers ask for', () => {
  it('are made two at a time for a tenant, and four at a time in all', async () => {
    const { ask, running } = slowMaker();
    const asked = [
      ...['a1', 'a2', 'a3'].map((holder) => ask(holder, 1)),
      ...['b1', 'b2', 'c1'].map((holder, i) => ask(holder, i < 2 ? 2 : 3)),
    ];
    await turnsTaken();
    expect(names(running)).toBe('a1,a2,b1,b2');
    running.get('b1')?.();
    await turnsTaken();
    expect(names(running)).toBe('a1,a2,b2,c1');
    running.get('a2')?.();
    await turnsTaken();
    expect(names(running)).toBe('a1,a3,b2,c1');
    for (const end of running.values()) end();
    expect(await Promise.all(asked)).toEqual(
      ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((holder) => `run of ${holder}`),
    );
  });

  it('leave their place when they fail, and do not begin when their caller has gone', async () => {
    const { ask, running, turns } = slowMaker();
    const asked = [ask('a1', 1), ask('a2', 1)];
    await turnsTaken();
    const gone = new AbortController();
    const waiting = ask('a3', 1, gone.signal);
    gone.abort();
    await expect(waiting).rejects.toThrow(CallerGone);
    const failing = makeInTurn({ make: () => Promise.reject(new Error('no rows')) }, turns);
    const request = { tenants: [2], holder: 'b1', values: {} } as unknown as MakeRequest;
    for (let i = 0; i < 5; i++) await expect(failing(request)).rejects.toThrow('no rows');
    expect(turns.figures).toMatchObject({ running: 2, waiting: 0 });
    for (const end of running.values()) end();
    await Promise.all(asked);
    expect(names(running)).toBe('');
  });

  it('belong to the tenant that the caller names', async () => {
    const { ask, running } = slowMaker();
    const of = [ask('a', 1), ask('b', 1), ask('c', 2)];
    await turnsTaken();
    expect(names(running)).toBe('a,b,c');
    for (const end of running.values()) end();
    await Promise.all(of);
    const turns = new FairShare(REPORT_SHARES);
    const request = { tenants: [1, 2], holder: 'd', values: {} } as unknown as MakeRequest;
    await expect(makeInTurn({ make: async () => 'run' }, turns)(request)).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
  });
});
