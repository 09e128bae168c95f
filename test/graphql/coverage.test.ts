import { LIMITS } from '../../src/limits';
import { aGap, aReport, REPORT, reportOf } from '../support/audit-sources';
import { DashboardSession } from '../support/dashboard-session';
import { ANY_ENGINE } from '../support/engines';
import { useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';

const ASK = `query($filter: String, $startTime: String, $endTime: String) {
  auditCoverage(filter: $filter, startTime: $startTime, endTime: $endTime) {
  sourceCount otherSourceCount gapCount sources { hostName completeThrough hasProblem } gaps { hostName reason afterTime beforeTime } } }`;

describe('the completeness of a time range', () => {
  useLimits({ holdsShownMax: 2 });
  const open = useWorld(ANY_ENGINE);

  it('is reported by source, with its progress and the gaps that touch the range, for own tenants only', async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant()];
    const gap = {
      ...aGap(),
      afterTime: '2026-01-05T08:00:00.0000000Z',
      beforeTime: '2026-01-05T09:00:00.0000000Z',
    };
    const report = { ...aReport({ tenantId: acme.tenantId, hostName: 'SQL01' }), gaps: [gap] };
    await open.world.graphql(acme.agentKey, REPORT, { report });
    const session = await DashboardSession.signIn(open.world, acme.key);
    const ask = async (startTime: string, endTime: string) => {
      const { body } = await session.graphql(ASK, { startTime, endTime });
      expect(body.errors).toBeUndefined();
      return body.data.auditCoverage;
    };
    const found = await ask('2026-01-05T08:30:00Z', '2026-01-05T08:40:00Z');
    expect(found).toMatchObject({ sourceCount: 1, gapCount: 1, sources: [{ hostName: 'SQL01' }] });
    expect(found.gaps).toMatchObject([
      { hostName: 'SQL01', afterTime: gap.afterTime, beforeTime: gap.beforeTime },
    ]);
    expect(await ask('2026-01-05T09:00:00Z', '2026-01-05T10:00:00Z')).toMatchObject({ gapCount: 0 });
    expect(await ask('2026-01-05T07:00:00Z', '2026-01-05T08:00:00Z')).toMatchObject({ gapCount: 0 });
    const stranger = await DashboardSession.signIn(open.world, other.key);
    const { body } = await stranger.graphql(ASK, {});
    expect(body.data.auditCoverage).toEqual({
      sourceCount: 0,
      otherSourceCount: 0,
      gapCount: 0,
      sources: [],
      gaps: [],
    });
  });

  it('has the number of all holds in force, also of more than one answer lists', async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant()];
    for (const { tenantId } of [acme, acme, acme, other])
      await open.world.operate(
        'mutation($t: String!) { createHold(tenantId: $t, reason: "case 7") { holdId } }',
        { t: tenantId },
      );
    const session = await DashboardSession.signIn(open.world, acme.key);
    const { body } = await session.graphql('{ auditCoverage { holdCount holds { tenantId } } }', {});
    expect(body.data.auditCoverage.holdCount).toBe(3);
    expect(body.data.auditCoverage.holds).toHaveLength(2);
  });

  it('is that of all years where the range goes beyond those that times can state', async () => {
    const acme = await open.world.tenant();
    const report = { ...aReport({ tenantId: acme.tenantId, hostName: 'SQL01' }), gaps: [aGap()] };
    await open.world.graphql(acme.agentKey, REPORT, { report });
    const session = await DashboardSession.signIn(open.world, acme.key);
    for (const [startTime, endTime] of [
      ['0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'],
      ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.99999999Z'],
    ]) {
      const { body } = await session.graphql(ASK, { startTime, endTime });
      expect(body.errors).toBeUndefined();
      expect(body.data.auditCoverage).toMatchObject({ sourceCount: 1, gapCount: 1 });
    }
  });

  it('lists sources with a problem first, because only a hundred are shown', async () => {
    const acme = await open.world.tenant();
    const now = new Date().toISOString().replace('Z', '0000Z');
    const report = (hostName: string, change: object) =>
      open.world.graphql(acme.agentKey, REPORT, {
        report: aReport({ tenantId: acme.tenantId, hostName, caughtUpAt: now, ...change }),
      });
    await report('ZZ-BROKEN', { problem: 'the disk is full' });
    await report('ZZ-NEVER', { caughtUpAt: null });
    await report('ZZ-BEHIND', { caughtUpAt: '2026-01-05T08:00:00.0000000Z' });
    for (let i = 0; i < LIMITS.coverageSourcesMax; i++)
      await report(`SQL${i}`, i === 99 ? { gaps: [aGap()] } : {});
    const session = await DashboardSession.signIn(open.world, acme.key);
    const { body } = await session.graphql(ASK, {});
    const { sources, sourceCount } = body.data.auditCoverage;
    expect(sourceCount).toBe(LIMITS.coverageSourcesMax + 3);
    expect(sources.slice(0, 3).map(({ hostName }: { hostName: string }) => hostName)).toEqual([
      'ZZ-BROKEN',
      'ZZ-NEVER',
      'ZZ-BEHIND',
    ]);
    // A source whose gaps are listed is shown beside the hundred.
    expect(sources).toHaveLength(LIMITS.coverageSourcesMax + 1);
    expect(sources.at(-1).hostName).toBe('SQL99');
  });

  it('is that of the sources whose hosts the filter names', async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant()];
    for (const [{ tenantId, agentKey }, hostName, databaseName, gaps] of [
      [acme, 'sql01', 'Payroll', [aGap()]],
      [acme, 'SQL02', 'Payroll', []],
      [acme, 'SQL02', 'Sales', [aGap(), aGap()]],
      [other, 'SQL02', 'Payroll', [aGap()]],
    ] as const) {
      const report = aReport({ tenantId, hostName, databaseName, gaps });
      reportOf((await open.world.graphql(agentKey, REPORT, { report })).body);
    }
    const { key } = await open.world.key({ tenantIds: [acme.tenantId, other.tenantId] });
    const session = await DashboardSession.signIn(open.world, key);
    const ask = async (filter: string | null) => {
      const { body } = await session.graphql(ASK, { filter });
      const { sourceCount, otherSourceCount, gapCount, sources, gaps } = body.data.auditCoverage;
      for (const list of [sources, gaps])
        expect(list).toHaveLength(list === sources ? sourceCount : gapCount);
      return [sourceCount, otherSourceCount, gapCount];
    };
    expect(await ask(null)).toEqual([4, 0, 4]);
    expect(await ask('objectName:Payroll')).toEqual([4, 0, 4]);
    expect(await ask('serverInstanceName:SQL01')).toEqual([1, 3, 1]);
    expect(await ask('serverInstanceName:"SQL02\\\\PAY" AND objectName:Payroll')).toEqual([3, 1, 3]);
    expect(await ask(`serverInstanceName:SQL02 AND tenantId:${acme.tenantId}`)).toEqual([2, 2, 2]);
    expect(await ask(`tenantId:${other.tenantId}`)).toEqual([1, 3, 1]);
    // An instance whose name no host has may be clustered, so the events of any source may be its.
    expect(await ask('serverInstanceName:SQLCLUSTER')).toEqual([4, 0, 4]);
    const { body } = await session.graphql(ASK, { filter: 'serverInstanceName:' });
    expect(body.errors[0].extensions.code).toBe('invalid_parameter');
  });

  it('is that of all sources where those of the named host were retired before the range', async () => {
    const { tenantId, agentKey, key } = await open.world.tenant();
    for (const hostName of ['SQL01', 'DR7']) {
      const report = aReport({ tenantId, hostName, gaps: hostName === 'DR7' ? [aGap()] : [] });
      reportOf((await open.world.graphql(agentKey, REPORT, { report })).body);
    }
    const session = await DashboardSession.signIn(open.world, key);
    const ask = async (startTime: string) => {
      const { body } = await session.graphql(ASK, { filter: 'serverInstanceName:SQL01', startTime });
      const { sourceCount, otherSourceCount, gapCount } = body.data.auditCoverage;
      return [sourceCount, otherSourceCount, gapCount];
    };
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect(await ask(later)).toEqual([1, 1, 0]);
    await open.world.operate(
      'mutation($t: String!) { retireAuditSource(tenantId: $t, hostName: "SQL01", reason: "failed over") { sources } }',
      { t: tenantId },
    );
    expect(await ask('2026-01-05')).toEqual([1, 1, 0]);
    expect((await ask(later)).slice(0, 2)).toEqual([2, 0]);
  });
});
