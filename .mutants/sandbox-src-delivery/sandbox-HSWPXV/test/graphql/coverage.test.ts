import { LIMITS } from '../../src/limits';
import { aGap, aReport, REPORT } from '../support/audit-sources';
import { DashboardSession } from '../support/dashboard-session';
import { useWorld } from '../support/use-world';

const ASK = `query($startTime: String, $endTime: String) { auditCoverage(startTime: $startTime, endTime: $endTime) {
  sourceCount gapCount sources { hostName completeThrough hasProblem } gaps { hostName reason afterTime beforeTime } } }`;

describe('the completeness of a time range', () => {
  const open = useWorld('embedded');

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
    expect(body.data.auditCoverage).toEqual({ sourceCount: 0, gapCount: 0, sources: [], gaps: [] });
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
    for (let i = 0; i < LIMITS.coverageSourcesMax; i++) await report(`SQL${i}`, {});
    const session = await DashboardSession.signIn(open.world, acme.key);
    const { body } = await session.graphql(ASK, {});
    const { sources, sourceCount } = body.data.auditCoverage;
    expect(sourceCount).toBe(LIMITS.coverageSourcesMax + 3);
    expect(sources.slice(0, 3).map(({ hostName }: { hostName: string }) => hostName)).toEqual([
      'ZZ-BROKEN',
      'ZZ-NEVER',
      'ZZ-BEHIND',
    ]);
  });
});
