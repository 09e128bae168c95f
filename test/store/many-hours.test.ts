import { LIST_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventQuery } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { Indexer } from '../../src/modules/search/indexer';
import { Folder } from '../../src/store/counts/fold';
import { tenantSet } from '../../src/tenant-set';
import { AT_ONCE } from '../support/at-once';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';

const HOURS = 1_200;
const START_MS = Date.UTC(2026, 0, 5);
const HOUR_MS = 3_600_000;
/** One event for each hour. The filter finds a part of every third. */
const events = Array.from({ length: HOURS }, (_, hour) => ({
  eventTime: new Date(START_MS + hour * HOUR_MS).toISOString().replace('Z', '0000Z'),
  actionId: hour % 3 === 0 ? 'UP' : 'SL',
  serverPrincipalName: `login${hour % 7}`,
  statement: `hour ${hour}`,
  blockOffset: 512 * (hour + 1),
}));

describe.each(ENGINES)(
  `an expression over ${HOURS} hours, more than one statement reads, on %s`,
  (engine) => {
    let store: Store;
    let statements: string[];
    beforeAll(async () => {
      store = await Store.open(engine);
      await store.insert(store.checked(events));
      await new Folder(store.database.migrator).run();
      const indexer = new Indexer(store.database.owner, AT_ONCE);
      while ((await indexer.run()) > 0);
    });
    afterAll(() => store.close());

    async function pageOf(page: number, order: string, login: string) {
      const { service } = store.database;
      const { tenantId } = store;
      statements = [];
      const snapshot: typeof service.snapshot = (tenants, steps) =>
        service.snapshot(tenants, (step) =>
          steps((text, values) => {
            statements.push(text);
            return step(text, values);
          }),
        );
      const reader = new PostgresAuditEventReader({ ...service, snapshot });
      // Counts name no hours for what is not.
      const filter = `NOT actionId:SL AND NOT principalName:${login}`;
      const given = { filter, page: String(page), pageSize: '10', sortDirection: order };
      return reader.page(tenantSet([tenantId]), toAuditEventQuery(parseParameters(LIST_PARAMETERS, given)));
    }
    const soughtBeside = (login: string) =>
      events.filter(
        ({ actionId, serverPrincipalName }) => actionId === 'UP' && serverPrincipalName !== login,
      );
    const timesOf = (some: readonly { readonly eventTime: string }[]) =>
      some.map(({ eventTime }) => eventTime);

    // Days that were counted for a filter are not read again for it.
    it.each([
      ['asc', 1, 'login0'],
      ['desc', 1, 'login1'],
      ['asc', 31, 'login2'],
      ['desc', 34, 'login3'],
    ])('finds the events of all statements: %s, page %i', async (order, page, login) => {
      const { totalCount, items } = await pageOf(page, order, login);
      const sought = soughtBeside(login);
      const inOrder = order === 'asc' ? sought : [...sought].reverse();
      expect({ totalCount, times: timesOf(items) }).toEqual({
        totalCount: sought.length,
        times: timesOf(inOrder.slice((page - 1) * 10, page * 10)),
      });
      const columns = statements.filter((text) => /FROM audit_segment s\s+WHERE/.test(text));
      expect(columns.length).toBeGreaterThan(2);
    });
  },
);
