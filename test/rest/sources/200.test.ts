import { Sequencer } from '../../../src/modules/evidence/sequencer';
import { aGap, aReport, REPORT, reportOf } from '../../support/audit-sources';
import { ONE_ENGINE } from '../../support/engines';
import { anEvent } from '../../support/events';
import { until } from '../../support/until';
import { QUICK_LOG, useLimits } from '../../support/use-limits';
import { useWorld } from '../../support/use-world';
import type { TestTenant } from '../../support/world';
import { refusesMissingAndInvalidKeys } from '../support/401';
import { refusesKeysWithoutScopeOrTenant } from '../support/403';
import { refusesOtherMethods } from '../support/405';
import { expectError, type Operation } from '../support/operations';
import { sequenced, PATH as TAIL } from '../tail/support';

const PATH = '/audit-sources';
const SOURCES: Operation = { title: `GET ${PATH}`, path: () => PATH, mistaken: [PATH, 'page=0'] };

refusesMissingAndInvalidKeys(SOURCES);
refusesKeysWithoutScopeOrTenant(SOURCES);
refusesOtherMethods(SOURCES);

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString().replace('Z', '0000Z');

describe.each(ONE_ENGINE)(`GET ${PATH} on %s`, (engine) => {
  useLimits(QUICK_LOG);
  const open = useWorld(engine);
  const report = async (tenant: TestTenant, change: object) => {
    const given = aReport({ tenantId: tenant.tenantId, ...change });
    return reportOf((await open.world.graphql(tenant.agentKey, REPORT, { report: given })).body);
  };

  it('states the condition of each source, and up to which time its events are complete', async () => {
    const acme = await open.world.tenant();
    const caughtUpAt = ago(30);
    await report(acme, { hostName: 'A', caughtUpAt });
    await report(acme, { hostName: 'B', caughtUpAt: ago(7_200) });
    await report(acme, { hostName: 'C', caughtUpAt, gaps: [aGap({ detail: 'a' }), aGap({ detail: 'b' })] });
    await report(acme, { hostName: 'D', caughtUpAt, problem: 'the folder is not there' });
    await report(acme, { hostName: 'E' });
    const { body } = await acme.get(PATH);
    expect(body.meta).toMatchObject({ totalCount: 5, page: 1 });
    expect(body.data.map(({ hostName, state }: Record<string, string>) => [hostName, state])).toEqual([
      ...[
        ['A', 'current'],
        ['B', 'lagging'],
        ['C', 'gaps'],
        ['D', 'problem'],
        ['E', 'lagging'],
      ],
    ]);
    const [a, b, c, , e] = body.data;
    expect(a).toMatchObject({
      tenantId: acme.tenantId,
      databaseName: 'Payroll',
      completeThrough: caughtUpAt,
      gaps: [],
    });
    expect(a.lagSeconds).toBeGreaterThan(29);
    expect(b.lagSeconds).toBeGreaterThan(7_199);
    expect(c.gapCount).toBe(2);
    expect(c.gaps.map(({ detail }: { detail: string }) => detail).sort()).toEqual(['a', 'b']);
    expect(e).toMatchObject({ completeThrough: null, lagSeconds: null });
  });

  it('is a list with pages, of the tenants of the key', async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant()];
    for (const hostName of ['A', 'B', 'C']) await report(acme, { hostName });
    await report(other, { hostName: 'Z' });
    const { body } = await acme.get(PATH, { page: 2, pageSize: 2 });
    expect(body.data.map(({ hostName }: { hostName: string }) => hostName)).toEqual(['C']);
    expect(body.meta).toMatchObject({ totalCount: 3, totalPages: 2, hasNextPage: false });
    const both = await open.world.key({ tenantIds: [acme.tenantId, other.tenantId] });
    expect((await open.world.get(PATH, both.key)).body.meta.totalCount).toBe(4);
    expectError(await acme.get(PATH, { pageSize: 101 }), 400, 'invalid_parameter');
  });

  it('states a completeness that excludes stored events which are not in the evidence log yet', async () => {
    const acme = await open.world.tenant();
    const eventTime = ago(60);
    const appending = jest.spyOn(Sequencer.prototype, 'run').mockResolvedValue(0);
    await acme.ingest([anEvent({ eventTime })]);
    const caughtUpAt = ago(1);
    await report(acme, { caughtUpAt });
    const before = (await acme.get(PATH)).body.data[0].completeThrough;
    appending.mockRestore();
    expect(before < eventTime).toBe(true);
    await sequenced(acme, 1);
    expect((await acme.get(PATH)).body.data[0].completeThrough).toBe(caughtUpAt);
  });

  it("is also part of the tail's answers, on request", async () => {
    const acme = await open.world.tenant();
    await acme.ingest([anEvent()]);
    await report(acme, { caughtUpAt: ago(2) });
    await sequenced(acme, 1);
    const listed = (await acme.get(PATH)).body.data;
    const { body } = await acme.get(TAIL, { from: 'beginning', include: 'sources' });
    expect(body.data).toHaveLength(1);
    const without = ({ lagSeconds: _, ...source }: Record<string, unknown>) => source;
    expect(body.meta.sources.map(without)).toEqual(listed.map(without));
    expect((await acme.get(TAIL, { from: 'beginning' })).body.meta.sources).toBeNull();
    const waited = await until(
      () => acme.get(TAIL, { from: 'now', wait: 1, include: 'sources' }),
      ({ status }) => status === 200,
    );
    expect(waited.body.meta.sources).toHaveLength(1);
  });
});
