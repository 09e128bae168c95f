import { randomUUID } from 'node:crypto';
import { HOUR_MS } from '../../src/event/event-time';
import { listComplete } from '../../src/modules/sources/list-complete';
import { listLags } from '../../src/modules/sources/list-lags';
import { removeSources } from '../../src/modules/sources/remove-sources';
import { tenantSet } from '../../src/tenant-set';
import { AN_ATTEMPT } from '../support/attempt';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';

const NOW_MS = Date.parse('2026-02-03T04:00:00.000Z');
const ago = (hours: number) => new Date(NOW_MS - hours * HOUR_MS);
/** The class of lags that has no end. */
const LAST_CLASS = 19;

describe('sources of tenants that have the same names', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());

  /** Two tenants with a source of one name each, and a gap of each. */
  async function two() {
    const { models } = store.database.owner;
    const tenants = [(await store.forNewTenant()).tenantId, (await store.forNewTenant()).tenantId] as const;
    for (const [i, tenantId] of tenants.entries()) {
      const key = { tenantId, hostName: 'SQL01', databaseName: 'Payroll' };
      await models.auditSource.create({
        data: {
          ...{ ...key, agentVersion: '1', waitingBytes: 0n, publishedCount: 0n, lastReported: ago(200) },
          caughtUpAt: ago(200).toISOString().replace('Z', '0000Z'),
        },
      });
      await models.auditGap.create({
        data: {
          ...{ ...key, gapId: randomUUID(), reason: 'FILE_DELETED', fileName: `of ${i}`, detail: 'd' },
          ...{ detectedAt: '2026-01-01T00:00:00.0000000Z', firstReported: ago(1) },
        },
      });
    }
    const lag = (tenantId: number, hours: number, worstHours: number) =>
      store.query(
        `INSERT INTO audit_source_lag (tenant_id, host_name, database_name, hour, lag_class, minutes, worst_ms)
         VALUES ($1::int, 'SQL01', 'Payroll', $2::timestamptz, $3::int, 60, $4::bigint)`,
        ...[tenantId, ago(hours), LAST_CLASS, worstHours * HOUR_MS],
      );
    const lags = (tenantId: number) =>
      store.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM audit_source_lag WHERE tenant_id = $1::int',
        tenantId,
      );
    return { models, tenants, lag, lags };
  }

  it('have their own gaps', async () => {
    const { tenants } = await two();
    const sources = await listComplete(store.database.service, () => NOW_MS)(tenantSet([...tenants]));
    expect(sources.map(({ tenantId, gaps }) => [tenantId, gaps.map(({ fileName }) => fileName)])).toEqual([
      [String(tenants[0]), ['of 0']],
      [String(tenants[1]), ['of 1']],
    ]);
  });

  it('were behind by the worst that was noted or is now, each by its own', async () => {
    const { tenants, lag } = await two();
    await lag(tenants[0], 5, 1_000);
    await lag(tenants[1], 5, 170);
    const list = listLags(store.database.service, () => NOW_MS);
    const found = await list(tenantSet([...tenants]), NOW_MS - 10 * HOUR_MS, NOW_MS);
    expect(found.map(({ worstSeconds }) => worstSeconds)).toEqual([1_000 * 3_600, 200 * 3_600]);
  });

  it('are removed with their gaps and their lags, and those of the other tenant stay', async () => {
    const { models, tenants, lag, lags } = await two();
    for (const tenantId of tenants) await lag(tenantId, 5, 200);
    const asked = { before: ago(1), hostName: null, withGaps: true };
    expect(
      await removeSources(store.database.owner, async () => false, tenants[0], asked, AN_ATTEMPT),
    ).toEqual({
      ...{ sources: 1, gaps: 1, kept: 0 },
    });
    expect([...(await lags(tenants[0])), ...(await lags(tenants[1]))].map(({ n }) => n)).toEqual([0, 1]);
    const left = { where: { tenantId: { in: [...tenants] } }, select: { tenantId: true } };
    expect(await models.auditGap.findMany(left)).toEqual([{ tenantId: tenants[1] }]);
    expect(await models.auditSource.findMany(left)).toEqual([{ tenantId: tenants[1] }]);
  });
});
