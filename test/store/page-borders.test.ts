import { LIST_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventQuery } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { Folder } from '../../src/store/counts/fold';
import { tenantSet } from '../../src/tenant-set';
import { inLayout, layoutsOf } from '../support/doors';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';

const PAGE_SIZE = 7;
const PRINCIPALS = ['alice', 'bob', 'carol'];
/** Hours on both sides of two midnights, several events in each. */
const HOURS = ['05T22', '05T23', '06T00', '06T01', '06T22', '06T23', '07T00', '07T01'];
const timeOf = (i: number) => {
  const minute = String((i * 7) % 60).padStart(2, '0');
  return `2026-01-${HOURS[i % HOURS.length]}:${minute}:00.${String(i).padStart(7, '0')}Z`;
};

describe.each(ENGINES)('the pages of a list on %s', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
    // In no order of time within a value, and of no value within a time.
    const events = Array.from({ length: 72 }, (_, i) => ({
      eventTime: timeOf((i * 29) % 72),
      blockOffset: 512 * (i + 1),
      serverPrincipalName: PRINCIPALS[(i * 5) % 3] ?? '',
      actionId: i % 4 === 0 ? 'UP' : 'SL',
      succeeded: i % 5 > 0,
    }));
    await store.insert(store.checked(events.slice(0, 36)));
    await new Folder(store.database.migrator).run();
    // The second half stays in the deltas.
    await store.insert(store.checked(events.slice(36)));
  });
  afterAll(() => store.close());

  const FILTERS = [{}, { actionId: 'UP' }, { principalName: 'bob', succeeded: 'true' }];
  const ORDERS = [
    ...['Timestamp', 'principalName', 'actionId', 'succeeded'].flatMap((sortBy) =>
      ['asc', 'desc'].map((sortDirection) => ({ sortBy, sortDirection })),
    ),
  ];

  it.each(
    layoutsOf(engine).flatMap((isDistributed) => [0n, 1_000n].map((deep) => [isDistributed, deep] as const)),
  )(
    'make up the whole list in its order, distributed: %s, and deep from %i events on',
    async (isDistributed, deep) => {
      const tenants = tenantSet([store.tenantId]);
      const reader = new PostgresAuditEventReader(inLayout(isDistributed, store.database.service), deep);
      for (const filter of FILTERS)
        for (const order of ORDERS) {
          const given = { ...filter, ...order };
          const queryOf = (page: number, pageSize: number) =>
            toAuditEventQuery(
              parseParameters(LIST_PARAMETERS, { ...given, page: String(page), pageSize: String(pageSize) }),
            );
          const whole = await reader.page(tenants, queryOf(1, 100));
          const field =
            order.sortBy === 'principalName'
              ? 'serverPrincipalName'
              : (order.sortBy as 'actionId' | 'succeeded');
          const keyOf = (item: (typeof whole.items)[number]) =>
            (order.sortBy === 'Timestamp' ? '' : `${item[field]} `) + item.recordId;
          const keys = whole.items.map(keyOf);
          const sorted = keys.toSorted();
          expect([given, keys]).toEqual([given, order.sortDirection === 'asc' ? sorted : sorted.reverse()]);
          const ids: string[] = [];
          for (let page = 1; ids.length < whole.totalCount; page++) {
            const { items, totalCount } = await reader.page(tenants, queryOf(page, PAGE_SIZE));
            expect([given, page, totalCount, items.length > 0]).toEqual([
              given,
              page,
              whole.totalCount,
              true,
            ]);
            ids.push(...items.map(({ recordId }) => recordId));
          }
          expect([given, ids]).toEqual([given, whole.items.map(({ recordId }) => recordId)]);
        }
    },
    120_000,
  );
});
