import { type AnyField, FIELD_NAMES, LIFTED_NAMES } from '../../src/event/fields';
import { hasMark } from '../../src/event/marks';
import { FILTER_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter } from '../../src/event/query';
import { LIMITS } from '../../src/limits';
import { PostgresExportSource } from '../../src/modules/export/export.source';
import { fieldValue } from '../../src/modules/reports/tally';
import { readerOf } from '../../src/store/rows/event-values';
import { tenantSet } from '../../src/tenant-set';
import { inLayout, layoutsOf } from '../support/doors';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';

const ALL: readonly AnyField[] = [...FIELD_NAMES, ...LIFTED_NAMES];
const NO_FILTER = toAuditEventFilter(parseParameters(FILTER_PARAMETERS, {}));
const SPAN = { after: '00000000-0000-0000-0000-000000000000', upTo: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
const LARGE = 'x'.repeat(LIMITS.largeStatementBytes);

describe.each(ENGINES)('the values of the events of a page on %s', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
    const change = { actionId: 'APRL', objectName: 'db_owner' };
    const member = { classType: 'RL ', targetDatabasePrincipalName: 'eve' };
    const changes = [
      { succeeded: false, statement: null, hostName: null, additional: {} },
      { statement: 'lone \ud800, nul \0, mark \ufeff, last \u{10f000}', hostName: '\udfff' },
      { ...change, additional: { ...member, responseRows: '9007199254740993', affectedRows: 3 } },
      { statement: `"quoted", \\ and\r\nlines\u2028`, additional: { sessionId: 'x', objectId: 7 } },
      { statement: LARGE },
      { actionId: 'UP  ', serverPrincipalName: ' padded ' },
    ];
    await store.insert(store.checked(changes));
  });
  afterAll(() => store.close());

  it.each([
    ['all fields', ALL],
    ['some fields in another order', ['statement', 'eventTime', 'roleMember', 'affectedRows', 'succeeded']],
    ['no text', ['eventTime']],
  ] as const)('are those of the events, in their order: %s', async (_, fields: readonly AnyField[]) => {
    const read = readerOf(fields);
    const valuesOf = (event: Parameters<typeof fieldValue>[0]) =>
      fields.map((field) => fieldValue(event, field));
    const tenants = tenantSet([store.tenantId]);
    for (const isDistributed of layoutsOf(engine)) {
      // Pages end behind the fourth event by their number, and behind the fifth by their bytes.
      const limits = { events: 4, bytes: LARGE.length / 2, read: 10 };
      const source = new PostgresExportSource(inLayout(isDistributed, store.database.service), limits);
      const lengths: number[] = [];
      let after: string | null = SPAN.after;
      while (after !== null) {
        const span = { ...SPAN, after };
        const page = await source.page(tenants, NO_FILTER, span);
        const values = await source.values(tenants, NO_FILTER, span, fields);
        expect(read(values.events).map(valuesOf)).toEqual(page.events.map(valuesOf));
        expect(values.events).toHaveLength(page.events.length);
        expect(values.after).toBe(page.after);
        const isMarked = page.events.some(({ statement }) => hasMark(statement));
        expect(hasMark(values.events.json)).toBe(isMarked && fields.includes('statement'));
        lengths.push(page.events.length);
        after = page.after;
      }
      expect(lengths).toEqual([4, 1, 1]);
    }
  });
});
