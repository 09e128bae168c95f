import { randomUUID } from 'node:crypto';
import { GAP_REASONS } from '../../src/event/source-report';
import { LIMITS } from '../../src/limits';
import { aGap, aReport, REPORT, reportOf } from '../support/audit-sources';
import { ENGINES } from '../support/engines';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const SOURCES = `query($tenantId: String, $limit: Int) { auditSources(tenantId: $tenantId) {
  tenantId hostName databaseName agentVersion lastEventTime lastReceived lastReported lag waitingBytes publishedCount
  problem gapCount gaps(limit: $limit) {
    gapId reason fileName fileGuid detail afterTime beforeTime detectedAt firstReported } } }`;
const HOUR_MS = 3_600_000;

describe.each(ENGINES)('audit sources on %s', (engine) => {
  const open = useWorld(engine);
  let acme: TestTenant;
  let other: TestTenant;
  beforeEach(async () => {
    acme = await open.world.tenant();
    other = await open.world.tenant('Other');
  });
  const send = async (tenant: TestTenant, change: object = {}) => {
    const { body } = await open.world.graphql(tenant.agentKey, REPORT, {
      report: aReport({ tenantId: tenant.tenantId, ...change }),
    });
    return body;
  };
  const kept = async (tenant: TestTenant, change: object = {}): Promise<number> =>
    reportOf(await send(tenant, change)).gapsKept;
  const sourcesOf = async (tenant: TestTenant, limit?: number) =>
    (await open.world.operate(SOURCES, { tenantId: tenant.tenantId, limit })).auditSources;

  it('show what their agents report', async () => {
    const caughtUpAt = new Date(Date.now() - HOUR_MS).toISOString();
    const before = Date.now();
    const report = {
      hostName: 'SQLPROD01',
      databaseName: 'Payroll "東京" \ud83d',
      agentVersion: '1.2.3',
      caughtUpAt,
      publishedCount: 5,
      waitingBytes: 2 ** 40,
      problem: 'cannot read\u0000',
      gaps: [],
    };
    expect(await kept(acme, { ...report, lastEventTime: '2026-01-05T08:00:00.1234567Z' })).toBe(0);
    const [source, ...others] = await sourcesOf(acme);
    const { lag, lastReceived, lastReported, ...stated } = source;
    const { caughtUpAt: _, ...rest } = report;
    expect([stated, others]).toEqual([
      { ...rest, tenantId: acme.tenantId, lastEventTime: '2026-01-05T08:00:00.1234567Z', gapCount: 0 },
      [],
    ]);
    expect(lastReceived).toBe(lastReported);
    expect(Date.parse(lastReported)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(lastReported)).toBeLessThanOrEqual(Date.now());
    expect(lag).toBeGreaterThanOrEqual(3600);
    expect(lag).toBeLessThan(3600 + (Date.now() - before) / 1000 + 1);
  });

  it('show null for the lag and the times before their agent has published or caught up', async () => {
    await kept(acme);
    expect(await sourcesOf(acme)).toMatchObject([
      { lastReceived: null, lag: null, lastEventTime: null, problem: null, publishedCount: 0 },
    ]);
  });

  it('add up published counts beyond 32 bits, and keep the time when events last arrived', async () => {
    for (const publishedCount of [2_147_483_647, 2_147_483_647, 2]) await kept(acme, { publishedCount });
    const [before] = await sourcesOf(acme);
    await kept(acme);
    const [after] = await sourcesOf(acme);
    expect([after.publishedCount, after.lastReceived]).toEqual([2 ** 32, before.lastReceived]);
    expect(after.lastReceived <= after.lastReported).toBe(true);
  });

  it('have a lag that grows while the agent is silent or reports that it is not caught up', async () => {
    await kept(acme, { caughtUpAt: new Date(Date.now() - HOUR_MS).toISOString() });
    const [first] = await sourcesOf(acme);
    for (const caughtUpAt of [null, new Date(Date.now() - 2 * HOUR_MS).toISOString()])
      await kept(acme, { caughtUpAt });
    const [second] = await sourcesOf(acme);
    expect(second.lag).toBeGreaterThanOrEqual(first.lag);
    expect(second.lag).toBeLessThan(first.lag + 60);
  });

  it("never have a negative lag, and an agent's clock that was once ahead does not hide later silence", async () => {
    await kept(acme, { caughtUpAt: new Date(Date.now() + 1000 * HOUR_MS).toISOString() });
    const [source] = await sourcesOf(acme);
    expect(source.lag).toBeGreaterThanOrEqual(0);
    await until(
      async () => (await sourcesOf(acme))[0].lag,
      (lag) => lag > source.lag,
    );
  });

  it('are distinguished by host and database, and listed in the order of both', async () => {
    for (const [hostName, databaseName] of [
      ['b', 'x'],
      ['a', 'y'],
      ['B', 'x'],
      ['a', 'x'],
      ['a', 'x'],
    ])
      await kept(acme, { hostName, databaseName });
    await kept(other);
    const names = (await sourcesOf(acme)).map(
      (s: Record<string, string>) => `${s.hostName} ${s.databaseName}`,
    );
    expect(names).toEqual(['B x', 'a x', 'a y', 'b x']);
    const { auditSources } = await open.world.operate('{ auditSources { tenantId } }');
    const tenants = auditSources.map((source: { tenantId: string }) => Number(source.tenantId));
    expect(tenants).toEqual(tenants.toSorted((a: number, b: number) => a - b));
    expect(tenants).toEqual(expect.arrayContaining([Number(acme.tenantId), Number(other.tenantId)]));
  });

  it('are answered with not_found for an unknown tenant', async () => {
    for (const tenantId of ['2000000', 'acme', '']) {
      const { body } = await open.world.graphql(open.world.operatorKey, SOURCES, { tenantId });
      expect(body.errors[0].extensions.code).toBe('not_found');
    }
  });

  it('show as many gaps as asked for, newest first', async () => {
    const gaps = Object.keys(GAP_REASONS).map((reason, i) =>
      aGap({ reason, detectedAt: `2026-01-05T08:0${i}:00.0000000Z` }),
    );
    const detailed = aGap({
      fileGuid: randomUUID(),
      fileName: 'Ümlaut\ud83d.sqlaudit',
      detectedAt: '2026-01-06T00:00:00.0000000Z',
      afterTime: '2026-01-05T07:59:59.1234567Z',
      beforeTime: '2026-01-05T08:00:00.7654321Z',
    });
    const before = Date.now();
    const count = gaps.length + 1;
    expect(await kept(acme, { gaps: [...gaps, detailed] })).toBe(count);
    const [source] = await sourcesOf(acme);
    expect(source.gapCount).toBe(count);
    const expected = [detailed, ...gaps.toReversed()];
    expect(source.gaps).toEqual(expected.map((gap) => ({ ...gap, firstReported: expect.any(String) })));
    for (const { firstReported } of source.gaps) {
      expect(Date.parse(firstReported)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(firstReported)).toBeLessThanOrEqual(Date.now());
    }
    const [{ gaps: two, gapCount }] = await sourcesOf(acme, 2);
    expect([two, gapCount]).toEqual([source.gaps.slice(0, 2), count]);
  });

  it('refuse an invalid number of gaps', async () => {
    await kept(acme);
    for (const limit of [0, -1, LIMITS.sourceGapsShownMax + 1]) {
      const variables = { tenantId: acme.tenantId, limit };
      const { body } = await open.world.graphql(open.world.operatorKey, SOURCES, variables);
      expect(body.errors[0].extensions.code).toBe('invalid_parameter');
    }
  });

  it('keep a gap once with its first report, however often it is reported, and add its end when it is known', async () => {
    const gap = aGap();
    await kept(acme, { gaps: [gap] });
    const [{ gaps: first }] = await sourcesOf(acme);
    expect(await kept(acme, { gaps: [gap, { ...gap, gapId: gap.gapId.toUpperCase() }, aGap()] })).toBe(3);
    await kept(acme, { gaps: [{ ...gap, beforeTime: '2026-01-05T09:00:00.0000000Z' }] });
    await kept(acme, { gaps: [gap] });
    const [{ gaps, gapCount }] = await sourcesOf(acme);
    expect(gapCount).toBe(2);
    expect(gaps).toContainEqual({ ...first[0], beforeTime: '2026-01-05T09:00:00.0000000Z' });
  });

  it('keep equal gaps of two sources, and of two tenants, apart', async () => {
    const gap = aGap();
    await kept(acme, { gaps: [gap] });
    await kept(acme, { gaps: [gap], databaseName: 'other' });
    expect(await sourcesOf(other)).toEqual([]);
    await kept(other, { gaps: [{ ...gap, detail: 'of another' }] });
    const details = async (tenant: TestTenant) =>
      (await sourcesOf(tenant)).map((s: { gaps: { detail: string }[] }) => s.gaps.map((g) => g.detail));
    expect(await details(acme)).toEqual([[gap.detail], [gap.detail]]);
    expect(await details(other)).toEqual([['of another']]);
  });

  it('accept the longest values and the most gaps that a report may have', async () => {
    const long = (n: number) => '東'.repeat(n);
    const gaps = Array.from({ length: LIMITS.reportGapsMax }, () =>
      aGap({ fileName: long(500), detail: long(1000), fileGuid: randomUUID() }),
    );
    const texts = {
      hostName: long(255),
      databaseName: long(100),
      agentVersion: long(100),
      problem: long(1000),
    };
    const numbers = { publishedCount: 2_147_483_647, waitingBytes: Number.MAX_SAFE_INTEGER };
    expect(await kept(acme, { ...texts, ...numbers, gaps })).toBe(gaps.length);
    expect(await sourcesOf(acme)).toMatchObject([{ ...texts, ...numbers, gapCount: gaps.length }]);
  });
});
