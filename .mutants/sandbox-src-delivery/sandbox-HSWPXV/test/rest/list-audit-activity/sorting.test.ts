import { ENGINES } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import type { Query, TestTenant } from '../../support/world';

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
  const at = useWorld(engine);
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
