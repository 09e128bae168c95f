import fc from 'fast-check';
import type { AuditGap, SourceReport } from '../../src/modules/sources/audit-source';
import { PostgresAuditSourceStore } from '../../src/modules/sources/audit-source.store';
import { checkReport } from '../../src/modules/sources/check-report';
import { aReport } from '../support/audit-sources';
import { ENGINES } from '../support/engines';
import { casesOf } from '../support/share';
import { Store } from '../support/store';

const START_MS = Date.parse('2026-01-05T08:00:00Z');
const ID = '00000000-0000-8000-8000-00000000000';

/** Few different values, so that many of them collide. */
const time = fc.integer({ min: 0, max: 5 }).map((i) => `2026-01-05T08:00:00.000000${i}Z`);
const optional = fc.option(time);
const gap = fc.record({
  gapId: fc.integer({ min: 0, max: 3 }).map((i) => `${ID}${i}`),
  reason: fc.constantFrom('FILE_DELETED' as const, 'UNREADABLE' as const),
  fileName: fc.constantFrom('a', 'Ä', 'z'),
  fileGuid: fc.option(fc.constantFrom(`${ID}a`, `${ID}B`)),
  detail: fc.constantFrom('', 'a', 'B', '東'),
  afterTime: optional,
  beforeTime: optional,
  detectedAt: time,
});
const sent = fc.record({
  tenant: fc.nat(1),
  atMs: fc.integer({ min: 0, max: 3 }).map((ms) => START_MS + ms),
  report: fc.record({
    hostName: fc.constantFrom('A', 'b'),
    databaseName: fc.constantFrom('x', 'y'),
    publishedCount: fc.nat(2),
    lastEventTime: optional,
    caughtUpAt: optional,
    gaps: fc.array(gap, { maxLength: 4 }),
  }),
});
type Sent = { readonly tenant: number; readonly atMs: number; readonly report: SourceReport };
/** Reports and the order of their arrival: each arrives at least once, some repeatedly. */
const scenario = fc
  .array(sent, { minLength: 1, maxLength: 8 })
  .chain((reports) =>
    fc.record({
      reports: fc.constant(
        reports.map(({ report, ...rest }) => ({ ...rest, report: checkReport(aReport(report), rest.atMs) })),
      ),
      again: fc.array(fc.nat(reports.length - 1), { maxLength: 6 }),
      order: fc.array(fc.nat(), { minLength: reports.length + 6, maxLength: reports.length + 6 }),
    }),
  )
  .map(({ reports, again, order }) => ({ reports, coming: arranged([...reports.keys(), ...again], order) }));

function arranged(indexes: readonly number[], order: readonly number[]): number[] {
  return indexes
    .map((index, i) => [order[i] ?? 0, index] as const)
    .toSorted((a, b) => a[0] - b[0])
    .map(([, index]) => index);
}

describe.each(ENGINES)('reports on %s', (engine) => {
  let store: Store;
  let sources: PostgresAuditSourceStore;
  beforeAll(async () => {
    store = await Store.open(engine);
    sources = new PostgresAuditSourceStore(
      store.database.service,
      store.database.migrator,
      async () => false,
    );
  });
  afterAll(() => store.close());

  it('leave the same times and gaps of their tenant, in whatever order and however often they arrive', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ reports, coming }) => {
        const tenants = [await store.forNewTenant(), await store.forNewTenant()].map((s) => s.tenantId);
        for (const index of coming) {
          const one = reports[index] as Sent;
          await sources.report(tenants[one.tenant] ?? 0, one.report, new Date(one.atMs));
        }
        for (const [tenant, tenantId] of tenants.entries()) {
          const ofTenant = reports.filter((one) => one.tenant === tenant);
          const received = coming.map((i) => reports[i] as Sent).filter((one) => one.tenant === tenant);
          expect(await found(sources, tenantId)).toEqual(expected(ofTenant, received));
        }
      }),
      { numRuns: casesOf(__filename) },
    );
  }, 300_000);
});

async function found(sources: PostgresAuditSourceStore, tenantId: number) {
  const listed = await sources.sources(tenantId);
  return Promise.all(
    listed.map(async ({ agentVersion, problem, waitingBytes, ...source }) => {
      expect(source.tenantId).toBe(tenantId);
      return { ...source, tenantId: undefined, gaps: await sources.gaps(tenantId, source, 100) };
    }),
  );
}

/** What the reports say together. @param received all arrivals, including the repeated ones */
function expected(reports: readonly Sent[], received: readonly Sent[]) {
  const idOf = ({ report }: Sent) => `${report.hostName} ${report.databaseName}`;
  return [...new Set(reports.map(idOf))].toSorted(byBytes).map((id) => {
    const own = reports.filter((one) => idOf(one) === id);
    const counted = received.filter((one) => idOf(one) === id).map(({ report }) => report.publishedCount);
    const [hostName, databaseName] = id.split(' ');
    const gaps = gapsOf(own);
    return {
      tenantId: undefined,
      hostName,
      databaseName,
      gapCount: gaps.length,
      gaps,
      lastEventTime: largest(own.map(({ report }) => report.lastEventTime)),
      caughtUpAt: largest(own.map(({ report }) => report.caughtUpAt)),
      publishedCount: counted.reduce((sum, n) => sum + n, 0),
      lastReported: largest(own.map(timeOf)),
      retiredAt: null,
      retiredReason: null,
      standbySince: null,
      isUnread: true,
      running: null,
      package: null,
      lastReceived: largest(own.filter(({ report }) => report.publishedCount > 0).map(timeOf)),
    };
  });
}

function gapsOf(own: readonly Sent[]) {
  const all = own.flatMap((one) => one.report.gaps.map((each) => ({ ...each, firstReported: timeOf(one) })));
  const ids = [...new Set(all.map(({ gapId }) => gapId))].toSorted();
  const gaps = ids.map((gapId) => {
    const same = all.filter((each) => each.gapId === gapId);
    const least = (name: keyof AuditGap | 'firstReported') => smallest(same.map((each) => each[name]));
    return {
      gapId,
      reason: least('reason'),
      fileName: least('fileName'),
      fileGuid: least('fileGuid'),
      detail: least('detail'),
      afterTime: least('afterTime'),
      detectedAt: least('detectedAt'),
      beforeTime: largest(same.map(({ beforeTime }) => beforeTime)),
      firstReported: least('firstReported'),
    };
  });
  return gaps.toSorted((a, b) => byBytes(String(b.detectedAt), String(a.detectedAt)));
}

const timeOf = ({ atMs }: Sent) => new Date(atMs);
const byBytes = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
function largest<T extends string | Date>(values: readonly (T | null)[]): T | null {
  return values.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null);
}
function smallest<T extends string | Date>(values: readonly (T | null)[]): T | null {
  return values.reduce((a, b) => (a === null || (b !== null && b < a) ? b : a), null);
}
