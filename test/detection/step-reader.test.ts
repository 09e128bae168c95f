import { StepReader } from '../../src/modules/detection/detector/step-reader';
import type { ArrivalLimits } from '../../src/store/log/arrivals/arrival-reader';

const LIMITS = { positions: 1_000, events: 1_000, bytes: 1_000_000 };

/** A log of events with texts of ten characters, which records what is read. */
class Log {
  size = 2_000;
  readonly reads: [tenantId: number, from: number, events: number][] = [];

  async sizes(tenants: readonly number[]) {
    return new Map(tenants.map((tenantId) => [tenantId, this.size]));
  }

  async readRows(tenantId: number, from: number, { events, end = this.size }: ArrivalLimits) {
    const next = Math.min(from + events, end);
    this.reads.push([tenantId, from, next - from]);
    const items = Array.from({ length: next - from }, (_, i) => ({
      position: from + i,
      recordId: String(from + i),
      text: 'x'.repeat(10),
    }));
    return { tenantId, from, next, size: this.size, items, removed: 0, others: [], skipped: 0, bytes: 0 };
  }
}

describe('what rules read of a log', () => {
  let log: Log;
  beforeEach(() => {
    log = new Log();
  });
  /** One step of a tenant. @returns its events and the position behind it */
  const step = async (rows: StepReader, tenantId: number, from: number, room: number) => {
    const read = await rows.read(tenantId, 'joined', from, LIMITS);
    return { events: read.items.length, read, next: rows.seen(tenantId, 'joined', read, room) };
  };

  it('is kept while a step has no time for it, and the next read is twice what a step had time for', async () => {
    const rows = new StepReader(log);
    expect(await step(rows, 7, 0, 400)).toMatchObject({ events: 1_000, next: 400 });
    expect(await step(rows, 7, 400, 350)).toMatchObject({ events: 600, next: 750 });
    expect(await step(rows, 7, 750, 249)).toMatchObject({ events: 250, next: 999 });
    expect(log.reads).toEqual([[7, 0, 1_000]]);
    expect(await step(rows, 7, 999, 900)).toMatchObject({ events: 1, next: 1_000 });
    // With time for all, the next step reads as much as it may.
    expect(await step(rows, 7, 1_000, 1)).toMatchObject({ events: 1_000, next: 1_001 });
    rows.drop(7);
    await step(rows, 7, 1_001, 30);
    rows.drop(7);
    await step(rows, 7, 1_031, 30);
    expect(log.reads.slice(1)).toEqual([
      [7, 1_000, 1_000],
      [7, 1_001, 999],
      [7, 1_031, 969],
    ]);
  });

  it('is never fewer than 64 events, so that a slow event does not make many short steps', async () => {
    const rows = new StepReader(log, 0);
    await step(rows, 7, 0, 1);
    expect((await step(rows, 7, 1, 1)).events).toBe(64);
    expect((await step(rows, 7, 2, 63)).events).toBe(64);
    expect((await step(rows, 7, 65, 63)).events).toBe(126);
  });

  it('is kept up to a number of characters of all tenants, and the first stay kept', async () => {
    const rows = new StepReader(log, 10_000);
    await step(rows, 7, 0, 400);
    await step(rows, 8, 0, 599);
    // 6,000 characters are kept of the first, and the 4,010 of the second would be too many.
    expect(log.reads).toHaveLength(2);
    expect(await step(rows, 8, 599, 600)).toMatchObject({ events: 1_000 });
    expect(log.reads).toHaveLength(3);
    expect(await step(rows, 7, 400, 600)).toMatchObject({ events: 600, next: 1_000 });
    expect(log.reads).toHaveLength(3);
    // There is room again.
    rows.drop(8);
    await step(rows, 8, 0, 1);
    expect(await step(rows, 8, 1, 1_000)).toMatchObject({ events: 999 });
    expect(log.reads).toHaveLength(4);
  });

  it('is dropped when the position is another one, the tenant has no more work, or it is told so', async () => {
    const rows = new StepReader(log);
    await step(rows, 7, 0, 400);
    expect((await step(rows, 7, 300, 999)).read.from).toBe(300);
    await step(rows, 8, 0, 400);
    rows.keepOnly(new Set([8]));
    expect((await step(rows, 8, 400, 600)).events).toBe(600);
    await step(rows, 8, 1_000, 400);
    rows.keepOnly(new Set([7]));
    expect((await step(rows, 8, 1_400, 1)).events).toBe(600);
    expect(log.reads).toHaveLength(5);
  });

  it('is apart for the engine of the rules that have joined and that of the newcomers', async () => {
    const rows = new StepReader(log);
    await step(rows, 7, 0, 400);
    const read = await rows.read(7, 'newcomers', 400, { ...LIMITS, end: 450 });
    expect(read.items).toHaveLength(50);
    expect(rows.seen(7, 'newcomers', read, 20)).toBe(420);
    expect((await step(rows, 7, 400, 600)).events).toBe(600);
    expect((await rows.read(7, 'newcomers', 420, { ...LIMITS, end: 450 })).items).toHaveLength(30);
    expect(log.reads).toHaveLength(2);
  });

  it('tells the size that the log has by now when the last of it is kept, so that no wait ends by the clock too early', async () => {
    const rows = new StepReader(log);
    log.size = 500;
    expect((await step(rows, 7, 0, 400)).read).toMatchObject({ next: 500, size: 500 });
    log.size = 800;
    expect((await step(rows, 7, 400, 100)).read).toMatchObject({ next: 500, size: 800 });
  });
});
