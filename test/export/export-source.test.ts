import { FILTER_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter } from '../../src/event/query';
import { recordIdFloor } from '../../src/event/record-id';
import { PostgresExportSource } from '../../src/modules/export/export.source';
import { tenantSet } from '../../src/tenant-set';
import { fakeService } from '../support/doors';

const TENANTS = tenantSet([7]);
const HOUR_TICKS = 36_000_000_000n;
const SPAN = { after: recordIdFloor(0n), upTo: recordIdFloor(HOUR_TICKS) };
const filterOf = (query: object) => toAuditEventFilter(parseParameters(FILTER_PARAMETERS, { ...query }));
/** A row as the database gives it. @param matched the events before the cut */
const rowOf = (n: number, matched: number) => ({
  record_id: recordIdFloor(BigInt(n)),
  tenant_id: 7,
  event_time: 0n,
  action_id: 'SL',
  succeeded: true,
  additional: '{}',
  matched,
});
const source = (...answers: (readonly object[] | Error)[]) => {
  const ask = async () => {
    const next = answers.shift() ?? [];
    if (next instanceof Error) throw next;
    return next;
  };
  const limits = { events: 3, bytes: 100, read: 10 };
  return new PostgresExportSource(fakeService({ ask }), limits);
};
const ids = (...numbers: number[]) => numbers.map((n) => recordIdFloor(BigInt(n)));

describe('a page of an export', () => {
  it.each([
    ['is the last one if nothing was cut', [rowOf(1, 2), rowOf(2, 2)], null],
    ['goes on behind its last event if its bytes cut it', [rowOf(1, 2)], ids(1)[0]],
    [
      'goes on behind its last event if its number cut it',
      [rowOf(1, 3), rowOf(2, 3), rowOf(3, 3)],
      ids(3)[0],
    ],
    ['is the last one if there is nothing', [], null],
  ])('%s', async (_, rows, after) => {
    const page = await source(rows).page(TENANTS, filterOf({}), SPAN);
    expect(page.events.map(({ recordId }) => recordId)).toEqual(rows.map((row) => row.record_id));
    expect(page.after).toBe(after);
  });

  it.each([
    ['goes on behind what was examined', [rowOf(1, 1)], [{ record_id: ids(9)[0] }], ids(9)[0]],
    ['goes on behind what was examined, also without an event', [], [{ record_id: ids(9)[0] }], ids(9)[0]],
    [
      'goes on behind its last event if it was cut before',
      [rowOf(1, 2)],
      [{ record_id: ids(9)[0] }],
      ids(1)[0],
    ],
    ['is the last one if everything was examined', [rowOf(1, 1)], [], null],
  ])('of events that must be read %s', async (_, rows, slice, after) => {
    for (const query of [{ search: 'x' }, { filter: 'actionId:IN OR objectName:Salary' }]) {
      const page = await source(slice, rows).page(TENANTS, filterOf(query), SPAN);
      expect(page.after).toBe(after);
    }
  });

  it('of events that must be read looks for the end of a stretch once', async () => {
    const pages = source([{ record_id: ids(9)[0] }], [rowOf(1, 2)], [rowOf(2, 1)], [], [rowOf(10, 1)]);
    let after: string | null = SPAN.after;
    let readTo: string | null = null;
    const ends: unknown[] = [];
    while (after !== null) {
      const page = await pages.page(TENANTS, filterOf({ search: 'x' }), { ...SPAN, after, readTo });
      [after, readTo] = [page.after, page.readTo ?? null];
      ends.push([page.events.length, after, readTo]);
    }
    expect(ends).toEqual([
      [1, ids(1)[0], ids(9)[0]],
      [1, ids(9)[0], null],
      [1, null, null],
    ]);
  });
});

describe('the plan of an export', () => {
  it('joins hours that follow each other, and adds up their events', async () => {
    const rows = [
      { lo: 0, hi: 1, n: 2 },
      { lo: 1, hi: 3, n: 3 },
      { lo: 4, hi: 5, n: 1 },
    ];
    const { totalCount, spans } = await source(rows).plan(TENANTS, filterOf({}));
    expect([totalCount, spans.length]).toEqual([6, 2]);
    const contains = (hour: bigint) => {
      const id = recordIdFloor(hour * HOUR_TICKS);
      return spans.filter(({ after, upTo }) => id > after && id <= upTo).length;
    };
    // The first moment of an hour belongs to it, and that of the next hour does not.
    expect([0n, 1n, 2n, 3n, 4n, 5n].map(contains)).toEqual([1, 1, 1, 0, 1, 0]);
  });

  it('has no count if counting takes too long, and then goes through everything', async () => {
    const tooLong = Object.assign(new Error('canceling statement'), { code: '57014' });
    const { totalCount, spans } = await source(tooLong).plan(TENANTS, filterOf({}));
    expect(totalCount).toBeNull();
    expect(spans).toEqual([
      { after: expect.stringMatching(/^0{8}-/), upTo: expect.stringMatching(/^f{8}-/) },
    ]);
    await expect(source(new Error('lost')).plan(TENANTS, filterOf({}))).rejects.toThrow();
  });
});
