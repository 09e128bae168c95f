import fc from 'fast-check';
import { batchesOf, questions, type Sent, sentEvents, toQuery } from '../support/arbitraries';
import { answerOf, type Stored, summaryOf } from '../support/brute-force';
import { ENGINES } from '../support/engines';
import { casesOf } from '../support/share';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const RUNS = casesOf(__filename);
const TIME_LIMIT_MS = 5 * 60_000;

const SCOPES = [[0], [1], [0, 1]] as const;
const asked = fc.array(fc.tuple(questions, fc.constantFrom(...SCOPES)), { minLength: 5, maxLength: 10 });
const stories = sentEvents.chain((sent) => fc.record({ batches: batchesOf(sent), asked }));

describe.each(ENGINES)('REST answers on %s', (engine) => {
  const at = useWorld(engine);

  it(
    'equal those of a filter in memory, for any events, filters, searches, sorts, pages and tenants',
    async () => {
      await fc.assert(
        fc.asyncProperty(stories, async ({ batches, asked }) => {
          const tenants = [await at.world.tenant(), await at.world.tenant()] as const;
          const both = await at.world.key({ tenantIds: tenants.map(({ tenantId }) => tenantId) });
          const sent = new Set<Sent>();
          for (const batch of batches) await ingest(tenants, batch, sent);
          const stored = await identified(tenants, sent);
          for (const [question, scope] of asked) {
            const key = scope.length === 2 ? both.key : tenants[scope[0]].key;
            const ids = scope.map((i) => tenants[i].tenantId);
            const query = toQuery(question);
            const list = await at.world.get('/audit-activity', key, { query });
            expect({ status: list.status, query }).toEqual({ status: 200, query });
            const { timestamp, apiVersion, ...meta } = list.body.meta;
            expect({ query, data: list.body.data, meta }).toEqual({
              query,
              ...answerOf(stored, ids, question),
            });

            const { startTime, endTime, filter } = query;
            const range = {
              ...(startTime && { startTime }),
              ...(endTime && { endTime }),
              ...(filter && { filter }),
            };
            const summary = await at.world.get('/audit-activity/summary', key, { query: range });
            expect({ range, data: summary.body.data }).toEqual({
              range,
              data: summaryOf(stored, ids, question),
            });
          }
        }),
        { numRuns: RUNS, interruptAfterTimeLimit: TIME_LIMIT_MS, markInterruptAsFailure: true },
      );
    },
    TIME_LIMIT_MS + 30_000,
  );
});

type Tenants = readonly [TestTenant, TestTenant];

/** Sends each tenant its events of the batch, and checks that earlier events count as duplicates. */
async function ingest(tenants: Tenants, batch: readonly Sent[], before: Set<Sent>): Promise<void> {
  for (const [i, tenant] of tenants.entries()) {
    const part = batch.filter((it) => it.tenant === i);
    const fresh = new Set(part.filter((it) => !before.has(it)));
    const receipt = await tenant.ingest(part.map(({ event }) => event));
    const duplicates = part.length - fresh.size;
    expect(receipt).toEqual({ accepted: fresh.size, duplicates, rejected: [] });
  }
  for (const it of batch) before.add(it);
}

/** @returns the sent events with the record ids that the API gave them */
async function identified(tenants: Tenants, sent: ReadonlySet<Sent>): Promise<Stored[]> {
  const ids = new Map<string, string>();
  for (const tenant of tenants) {
    const { data } = (await tenant.get('/audit-activity', { pageSize: 100 })).body;
    for (const { recordId, clientIp } of data) ids.set(clientIp, recordId);
  }
  expect(ids.size).toBe(sent.size);
  return [...sent].map(({ tenant, event }) => ({
    tenantId: tenants[tenant].tenantId,
    recordId: ids.get(event.clientIp ?? '') ?? '',
    event,
  }));
}
