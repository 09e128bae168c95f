import type { AuditEventFilter } from '../../src/event/query';
import { LIMITS } from '../../src/limits';
import { exporter } from '../../src/modules/export/export-events';
import type { ExportSource, IdSpan } from '../../src/modules/export/export-source';
import type { StoredAuditEvent } from '../../src/store/rows/audit-event-reader';
import { tenantSet } from '../../src/tenant-set';

const eventOf = (recordId: string) => ({ recordId }) as StoredAuditEvent;
/** Ids of two digits. A page has two events at most, and one that ends a slice has none. */
const STORED = ['11', '12', '13', '31', '32', '52'];

describe('an export', () => {
  let asked: IdSpan[];
  let waits: (number | undefined)[];
  let checks: number;
  let released: number;
  let renewals: (boolean | Error)[];
  let source: Pick<ExportSource, 'plan' | 'page'>;
  beforeEach(() => {
    [asked, waits, checks, released, renewals] = [[], [], 0, 0, []];
    source = {
      plan: async () => ({
        totalCount: 6,
        spans: [
          { after: '10', upTo: '19' },
          { after: '30', upTo: '39' },
          { after: '50', upTo: '59' },
        ],
      }),
      page: async (_tenants, _filter, span) => {
        asked.push(span);
        const left = STORED.filter((id) => id > span.after && id <= span.upTo);
        const events = left.slice(0, 2).map(eventOf);
        return left.length > 2 ? { events, after: left[1] ?? null, readTo: '18' } : { events, after: null };
      },
    };
    jest.useFakeTimers();
  });
  afterEach(() => jest.useRealTimers());

  const begin = (cursor: string | null = null, isAllowed: () => boolean = () => true) =>
    exporter(
      source,
      {
        take: async () => ({
          renew: async () => {
            const next = renewals.shift() ?? true;
            if (next instanceof Error) throw next;
            return next;
          },
          release: async () => void released++,
        }),
      },
      {
        run: (_who, work, waitMs) => {
          waits.push(waitMs);
          return work();
        },
      },
    )({
      tenants: tenantSet([1]),
      holder: 'k',
      filter: {} as AuditEventFilter,
      cursor,
      assertAllowed: async () => {
        checks += 1;
        if (!isAllowed()) throw new Error('revoked');
      },
    });
  const idsOf = async (running: Awaited<ReturnType<typeof begin>>) => {
    const ids: string[][] = [];
    for await (const events of running.batches) ids.push(events.map(({ recordId }) => recordId));
    return ids;
  };

  it.each([
    [null, STORED],
    ['00', STORED],
    ['12', ['13', '31', '32', '52']],
    ['20', ['31', '32', '52']],
    ['32', ['52']],
    ['39', ['52']],
    ['59', []],
  ])('has each event behind the cursor %s, once and in order', async (cursor, ids) => {
    expect((await idsOf(await begin(cursor))).flat()).toEqual(ids);
    const reads = asked.map(({ after, upTo }) => Number(upTo) - Number(after));
    expect(reads.every((length) => length > 0 && length <= 9)).toBe(true);
  });

  it('tells a page how far the page before wanted to read, within a span', async () => {
    await idsOf(await begin());
    expect(asked.map(({ after, readTo }) => [after, readTo])).toEqual([
      ['10', null],
      ['12', '18'],
      ['30', null],
      ['50', null],
    ]);
  });

  it('checks its caller before each page, and waits long for a turn but for the first page', async () => {
    await idsOf(await begin());
    expect(checks).toBe(4);
    expect(waits).toEqual([
      ...[undefined, LIMITS.longStatementWaitMs],
      ...[LIMITS.exportWaitMs, LIMITS.exportWaitMs, LIMITS.exportWaitMs],
    ]);
  });

  it('counts the batches that were taken, without the last one, which may be on its way', async () => {
    const running = await begin();
    const counts: number[] = [];
    for await (const _ of running.batches) counts.push(running.handedOver);
    expect([counts, running.handedOver, running.totalCount]).toEqual([[0, 2, 3, 5], 6, 6]);
  });

  it('breaks off when its caller may no longer have it', async () => {
    const running = await begin(null, () => checks < 3);
    await expect(idsOf(running)).rejects.toThrow('revoked');
    expect(running.handedOver).toBe(3);
  });

  it('gives its lease back when it does not begin, when it ends, and once', async () => {
    await expect(begin(null, () => false)).rejects.toThrow('revoked');
    expect(released).toBe(1);
    const running = await begin();
    await running.end();
    await running.end();
    expect(released).toBe(2);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('renews its lease, also after a renewal that failed, and breaks off when the lease is lost', async () => {
    renewals = [new Error('connection lost'), true, false];
    const running = await begin();
    const batches = running.batches[Symbol.asyncIterator]();
    const renew = () => jest.advanceTimersByTimeAsync(LIMITS.exportLeaseMs / 3);
    await renew();
    expect((await batches.next()).done).toBe(false);
    await renew();
    expect((await batches.next()).done).toBe(false);
    await renew();
    await expect(batches.next()).rejects.toThrow('the lease of the export was lost');
    expect(renewals).toEqual([]);
  });
});
