import { CITUS_URL } from '../../support/citus';
import { anEvent } from '../../support/events';
import { useWorld } from '../../support/use-world';

const TENANTS = 20;
const EVENTS = 60;
const TWO_FIELDS = 'actionId:IN OR objectName:nothing';

(CITUS_URL ? describe : describe.skip)('a key of twenty tenants whose rows are on several nodes', () => {
  const at = useWorld('citus');
  let key: string;
  beforeAll(async () => {
    const tenantIds: string[] = [];
    for (let i = 0; i < TENANTS; i++) {
      const tenant = await at.world.tenant();
      tenantIds.push(tenant.tenantId);
      await tenant.ingest(
        Array.from({ length: EVENTS }, (_, n) =>
          anEvent({
            actionId: n % 3 === 0 ? 'IN' : 'SL',
            eventTime: `2026-01-05T${String(n % 12).padStart(2, '0')}:00:00.${String(n).padStart(7, '0')}Z`,
          }),
        ),
      );
    }
    ({ key } = await at.world.key({ tenantIds }));
  });
  const get = (path: string, query: object) => at.world.get(path, key, { query: query as never });

  it.each([
    [{}, {}, TENANTS * EVENTS],
    [{ actionId: 'IN' }, { filter: 'actionId:IN' }, (TENANTS * EVENTS) / 3],
    [{ filter: TWO_FIELDS }, { filter: TWO_FIELDS }, (TENANTS * EVENTS) / 3],
  ])('lists and counts the events of all of them: %j', async (query, same, total) => {
    const list = await get('/audit-activity', { ...query, pageSize: 100 });
    expect([list.status, list.body.meta.totalCount]).toEqual([200, total]);
    const summary = await get('/audit-activity/summary', same);
    expect([summary.status, summary.body.data.totalCount]).toEqual([200, total]);
    const ids = new Set<string>();
    for (let page = 1; page <= Math.ceil(total / 100); page++)
      for (const { tenantId, recordId } of (await get('/audit-activity', { ...query, page, pageSize: 100 }))
        .body.data)
        ids.add(`${tenantId} ${recordId}`);
    expect(ids.size).toBe(total);
  });
});
