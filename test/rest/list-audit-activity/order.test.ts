import { ENGINES } from '../../support/engines';
import { anEvent } from '../../support/events';
import { useSharedWorld } from '../../support/use-world';
import { type Query, type TestTenant } from '../../support/world';

type Item = Readonly<Record<string, string | boolean | null>>;

/** The values of `sortBy`, with the field that each sorts by. */
const SORTS = [
  ['Timestamp', 'eventTime'],
  ['eventTime', 'eventTime'],
  ['actionId', 'actionId'],
  ['databaseName', 'databaseName'],
  ['principalName', 'serverPrincipalName'],
  ['serverPrincipalName', 'serverPrincipalName'],
  ['succeeded', 'succeeded'],
] as const;
/** In ascending order: an absent value first, upper case before lower case, then by code points. */
const NAMES = [null, 'A', 'B', 'a', 'b', 'é', 'ß', '日本', '\u{FF21}', '\u{1F600}'];
const TIMES = ['2026-05-04T10:00:00.0000002Z', '2026-05-04T10:00:00.0000001Z'];

/** Compares UTF-8 bytes, which gives the order of code points. JavaScript itself compares UTF-16 units. */
const compare = (a: unknown, b: unknown) => Buffer.compare(bytes(a), bytes(b));
const bytes = (value: unknown) => Buffer.from(String(value ?? ''));

describe.each(ENGINES)('sorting of GET /audit-activity on %s', (engine) => {
  const at = useSharedWorld(engine);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
    // Each value occurs three times, so that ties must be broken, and the events arrive in no order.
    for (const [i, name] of [...NAMES, ...NAMES.toReversed(), ...NAMES].entries()) {
      await acme.audited({
        databaseName: name,
        serverPrincipalName: NAMES[(i * 7) % NAMES.length] ?? null,
        actionId: NAMES[(i * 3) % NAMES.length] ?? 'SL',
        succeeded: i % 3 === 0,
        eventTime: TIMES[i % 2] ?? '',
      });
    }
  });
  const get = async (query: Query): Promise<Item[]> =>
    (await acme.get('/audit-activity', { pageSize: 100, ...query })).body.data;

  describe.each(SORTS)('by %s', (sortBy, field) => {
    it.each(['asc', 'desc'])(
      '%s, with ties in the order of the record ids in the same direction',
      async (sortDirection) => {
        const items = await get({ sortBy, sortDirection });
        expect(items).toHaveLength(3 * NAMES.length);
        const ascending = items.toSorted(
          (a, b) => compare(a[field], b[field]) || compare(a.recordId, b.recordId),
        );
        expect(items).toEqual(sortDirection === 'asc' ? ascending : ascending.toReversed());
      },
    );

    it('is the same across pages', async () => {
      const whole = await get({ sortBy });
      const pages = [];
      for (const page of [1, 2, 3, 4, 5]) pages.push(...(await get({ sortBy, page, pageSize: 7 })));
      expect(pages).toEqual(whole);
    });
  });

  it('is by time, newest first, by default', async () => {
    expect(await get({})).toEqual(await get({ sortBy: 'Timestamp', sortDirection: 'desc' }));
    expect(await get({ sortDirection: 'asc' })).toEqual(
      await get({ sortBy: 'eventTime', sortDirection: 'asc' }),
    );
  });

  it('is descending by default', async () => {
    expect(await get({ sortBy: 'actionId' })).toEqual(
      await get({ sortBy: 'actionId', sortDirection: 'desc' }),
    );
  });
});

const COUNT = 45;

describe.each(ENGINES)('pages of GET /audit-activity on %s', (engine) => {
  const at = useSharedWorld(engine);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
    await acme.ingest(Array.from({ length: COUNT }, () => anEvent()));
  });
  const get = async (query: Query) => (await acme.get('/audit-activity', query)).body;

  it('have 20 events, and the first page comes by default', async () => {
    const { data, meta } = await get({});
    expect(data).toHaveLength(20);
    expect(meta).toMatchObject({
      totalCount: COUNT,
      page: 1,
      pageSize: 20,
      totalPages: 3,
      hasPreviousPage: false,
      hasNextPage: true,
    });
  });

  it('in the middle have a page before and after them', async () => {
    const { data, meta } = await get({ page: 2 });
    expect(data).toHaveLength(20);
    expect(meta).toMatchObject({ page: 2, hasPreviousPage: true, hasNextPage: true });
  });

  it('at the end have the remaining events', async () => {
    const { data, meta } = await get({ page: 3 });
    expect(data).toHaveLength(5);
    expect(meta).toMatchObject({ page: 3, hasPreviousPage: true, hasNextPage: false });
  });

  it.each([4, 1_000, 2_147_483_647])('beyond the end (%d) are empty, with the true totals', async (page) => {
    const { data, meta } = await get({ page, pageSize: 100 });
    expect(data).toEqual([]);
    expect(meta).toMatchObject({
      totalCount: COUNT,
      page,
      pageSize: 100,
      totalPages: 1,
      hasPreviousPage: true,
      hasNextPage: false,
    });
  });

  it.each([
    [1, 45],
    [9, 5],
    [44, 2],
    [45, 1],
    [46, 1],
    [100, 1],
  ])('of size %d are %d in number, and have every event once, in order', async (pageSize, totalPages) => {
    const seen: string[] = [];
    for (let page = 1; page <= totalPages; page++) {
      const { data, meta } = await get({ page, pageSize });
      expect(meta).toMatchObject({ totalPages, hasNextPage: page < totalPages });
      seen.push(...data.map((item: { recordId: string }) => item.recordId));
    }
    expect(new Set(seen).size).toBe(COUNT);
    expect(seen).toEqual(seen.toSorted().reverse());
  });

  it('count only the matching events of a filter', async () => {
    await acme.audited({ actionId: 'DR', eventTime: '2026-01-12T00:00:00.0000000Z' });
    const { data, meta } = await get({ actionId: 'DR', pageSize: 1 });
    expect(data).toHaveLength(1);
    expect(meta).toMatchObject({ totalCount: 1, totalPages: 1, hasNextPage: false });
  });

  it('are empty for a tenant without events, with a total of 0', async () => {
    const nobody = await at.world.tenant();
    const { body } = await nobody.get('/audit-activity');
    expect(body).toMatchObject({
      data: [],
      meta: { totalCount: 0, page: 1, totalPages: 0, hasPreviousPage: false, hasNextPage: false },
    });
  });
});

/** Three events 100 ns apart, and one far before and one far after them. */
const [LONG_AGO, BEFORE, AT, AFTER, LATER] = [
  '2025-11-20T12:00:00.0000000Z',
  '2026-02-28T22:59:59.9999999Z',
  '2026-02-28T23:00:00.0000000Z',
  '2026-02-28T23:00:00.0000001Z',
  '2026-03-31T00:00:00.0000000Z',
] as const;

describe.each(ENGINES)('time range of GET /audit-activity on %s', (engine) => {
  const at = useSharedWorld(engine);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
    for (const eventTime of [LONG_AGO, BEFORE, AT, AFTER, LATER]) await acme.audited({ eventTime });
  });
  const found = async (query: Query): Promise<string[]> => {
    const { data } = (await acme.get('/audit-activity', { sortDirection: 'asc', ...query })).body;
    return data.map((item: { eventTime: string }) => item.eventTime);
  };

  it('includes startTime, to 100 ns', async () => {
    expect(await found({ startTime: AT })).toEqual([AT, AFTER, LATER]);
    expect(await found({ startTime: AFTER })).toEqual([AFTER, LATER]);
  });

  it('excludes endTime, to 100 ns', async () => {
    expect(await found({ endTime: AT })).toEqual([LONG_AGO, BEFORE]);
    expect(await found({ endTime: AFTER })).toEqual([LONG_AGO, BEFORE, AT]);
  });

  it('selects the events of one moment with a range of 100 ns, and none with an empty range', async () => {
    expect(await found({ startTime: AT, endTime: AFTER })).toEqual([AT]);
    expect(await found({ startTime: AT, endTime: AT })).toEqual([]);
  });

  it('compares exactly with more decimals than events have', async () => {
    expect(await found({ startTime: '2026-02-28T23:00:00.00000001Z' })).toEqual([AFTER, LATER]);
    expect(await found({ endTime: '2026-02-28T23:00:00.00000001Z' })).toEqual([LONG_AGO, BEFORE, AT]);
  });

  it.each([
    ['with seconds', '2026-02-28T23:00:00Z'],
    ['without seconds', '2026-02-28T23:00Z'],
    ['with one decimal', '2026-02-28T23:00:00.0Z'],
    ['with a decimal comma', '2026-02-28T23:00:00,000Z'],
    ['in small letters', '2026-02-28t23:00:00z'],
    ['without an offset, which is UTC', '2026-02-28T23:00:00'],
    ['east of Greenwich', '2026-03-01T04:30:00+05:30'],
    ['east of Greenwich, in short', '2026-03-01T01:00:00+02'],
    ['west of Greenwich', '2026-02-28T15:00:00-08:00'],
    ['west of Greenwich, without a colon', '2026-02-28T19:30:00-0330'],
  ])('accepts a time %s', async (_, time) => {
    expect(await found({ startTime: time, endTime: LATER })).toEqual([AT, AFTER]);
  });

  it('accepts a date as its first moment in UTC', async () => {
    expect(await found({ startTime: '2026-02-28', endTime: '2026-03-01' })).toEqual([BEFORE, AT, AFTER]);
    expect(await found({ startTime: '2026-03-01', endTime: '2026-03-31' })).toEqual([]);
    expect(await found({ startTime: '2026-03-31' })).toEqual([LATER]);
  });

  it('may extend beyond all events', async () => {
    const all = [LONG_AGO, BEFORE, AT, AFTER, LATER];
    expect(await found({ startTime: '0001-01-01', endTime: '9999-12-31T23:59:59.9999999Z' })).toEqual(all);
    expect(await found({ endTime: '1970-01-01' })).toEqual([]);
    expect(await found({ startTime: '9999-12-31' })).toEqual([]);
  });
});
