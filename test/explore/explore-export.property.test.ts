import fc from 'fast-check';
import { FairShare, sharesOf } from '../../src/caller/rate-limit/fair-share';
import { FILTER_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter } from '../../src/event/query';
import { LIMITS } from '../../src/limits';
import { PostgresExportSource } from '../../src/modules/export/export.source';
import { exporter, valuesExporter } from '../../src/modules/export/export-events';
import { PostgresExportLeases } from '../../src/modules/export/leases';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { Indexer } from '../../src/modules/search/indexer';
import { Folder } from '../../src/store/counts/fold';
import { tenantSet } from '../../src/tenant-set';
import { exported, exportedValues } from '../support/all-values';
import { questions, type Sent, sentEvents, toQuery } from '../support/arbitraries';
import { AT_ONCE } from '../support/at-once';
import { answerOf, type Question, type Stored } from '../support/brute-force';
import { inLayout, layoutsOf } from '../support/doors';
import { ENGINES } from '../support/engines';
import { casesOf } from '../support/share';
import { Store } from '../support/store';

const asked = fc.record({
  question: questions,
  cursorAt: fc.integer({ min: -1, max: 30 }),
  both: fc.boolean(),
});
const limits = fc.record({ events: fc.integer({ min: 1, max: 5 }), bytes: fc.integer({ min: 0, max: 60 }) });

describe.each(ENGINES)('the export on %s', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  afterAll(() => store.close());

  it('has each matching event once, in order, from any cursor, whatever the size of its pages', async () => {
    const { database } = store;
    const [folder, indexer] = [new Folder(database.migrator), new Indexer(database.owner, AT_ONCE)];
    const leases = new PostgresExportLeases(database.service);
    await fc.assert(
      fc.asyncProperty(
        sentEvents,
        fc.array(asked, { minLength: 2, maxLength: 5 }),
        limits,
        fc.boolean(),
        async (sent, all, pageLimits, indexed) => {
          const stores = [await store.forNewTenant(), await store.forNewTenant()] as const;
          const stored = [...(await fill(stores[0], sent, 0)), ...(await fill(stores[1], sent, 1))];
          if (indexed) {
            await folder.run();
            await indexer.run();
          }
          for (const { question, cursorAt, both } of all) {
            const tenants = tenantSet(stores.slice(0, both ? 2 : 1).map(({ tenantId }) => tenantId));
            const expected = idsOf(stored, tenants.map(String), question);
            const cursor = stored.map(({ recordId }) => recordId).sort()[cursorAt] ?? null;
            for (const isDistributed of layoutsOf(engine)) {
              const source = new PostgresExportSource(inLayout(isDistributed, database.service), {
                ...pageLimits,
                read: 3,
              });
              const parts = [source, leases, new FairShare(sharesOf(LIMITS.databaseConnections))] as const;
              const filter = filterOf(question);
              const request = { tenants, holder: 'test', filter, cursor, assertAllowed: async () => {} };
              const found = await exported(exporter(...parts), request);
              expect(found.totalCount).toBe(expected.length);
              expect(found.ids).toEqual(expected.filter((id) => cursor === null || id > cursor));
              expect(await exportedValues(valuesExporter(...parts), request)).toEqual(found.values);
            }
          }
        },
      ),
      { numRuns: casesOf(__filename), endOnFailure: true },
    );
  }, 300_000);
});

async function fill(store: Store, sent: readonly Sent[], tenant: 0 | 1): Promise<Stored[]> {
  const own = sent.filter((it) => it.tenant === tenant).map(({ event }) => event);
  const checked = own.map((event) => {
    const result = checkEvent(store.tenantId, event, Date.now());
    if ('rejection' in result) throw new Error(result.rejection.message);
    return result.event;
  });
  if (checked.length > 0) await store.insert(checked);
  const tenantId = String(store.tenantId);
  return own.map((event, i) => ({ tenantId, recordId: checked[i]?.recordId ?? '', event }));
}

function filterOf(question: Question) {
  const { page, pageSize, sortBy, sortDirection, ...query } = toQuery(question);
  return toAuditEventFilter(parseParameters(FILTER_PARAMETERS, query));
}

const idsOf = (stored: readonly Stored[], tenants: readonly string[], question: Question): string[] =>
  answerOf(stored, tenants, {
    ...question,
    page: 1,
    pageSize: 1_000,
    sortBy: undefined,
    sortDirection: 'asc',
  }).data.map(({ recordId }) => recordId);
