import type { Answer } from '../../support/answer';
import { ENGINES } from '../../support/engines';
import { useWorld } from '../../support/use-world';

const databases = ({ body }: Answer) =>
  body.data.map((item: { databaseName: string }) => item.databaseName).sort();

describe.each(ENGINES)('tenants of GET /audit-activity on %s', (engine) => {
  const at = useWorld(engine);

  it('hides events of another tenant', async () => {
    const acme = await at.world.tenant();
    const other = await at.world.tenant('Other');
    await other.audited({ actionId: 'SL' });
    const { status, body } = await acme.get('/audit-activity');
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [], meta: { totalCount: 0, totalPages: 0 } });
  });

  it.each([
    ['a filter', { databaseName: 'Secret' }],
    ['a search', { search: 'Secret' }],
    ['a time range', { startTime: '2026-01-01', endTime: '2027-01-01' }],
    ['a sort', { sortBy: 'databaseName' }],
  ])('hides them with %s too', async (_, query) => {
    const acme = await at.world.tenant();
    const other = await at.world.tenant('Other');
    await other.audited({ databaseName: 'Secret' });
    expect((await acme.get('/audit-activity', query)).body).toMatchObject({
      data: [],
      meta: { totalCount: 0 },
    });
    expect((await other.get('/audit-activity', query)).body.meta.totalCount).toBe(1);
  });

  it('shows a key of several tenants the events of all its tenants, and no others', async () => {
    const [one, two, three] = await Promise.all(['1', '2', '3'].map((name) => at.world.tenant(name)));
    await one?.audited({ databaseName: 'One' });
    await two?.audited({ databaseName: 'Two' });
    await three?.audited({ databaseName: 'Three' });
    const { key } = await at.world.key({ tenantIds: [one?.tenantId ?? '', three?.tenantId ?? ''] });
    const answer = await at.world.get('/audit-activity', key);
    expect(databases(answer)).toEqual(['One', 'Three']);
    expect(answer.body.meta.totalCount).toBe(2);
  });

  it('puts the events of several tenants into one order, across pages', async () => {
    const [one, two] = [await at.world.tenant(), await at.world.tenant()];
    const times = Array.from({ length: 9 }, (_, i) => `2026-02-03T04:05:06.000000${i}Z`);
    for (const [i, eventTime] of times.entries()) await (i % 2 ? one : two).audited({ eventTime });
    const { key } = await at.world.key({ tenantIds: [one.tenantId, two.tenantId] });
    const seen: string[] = [];
    for (const page of [1, 2, 3]) {
      const { body } = await at.world.get('/audit-activity', key, { query: { page, pageSize: 3 } });
      seen.push(...body.data.map((item: { eventTime: string }) => item.eventTime));
    }
    expect(seen).toEqual(times.toReversed());
  });

  it('lists equal records of two tenants as two events', async () => {
    const [one, two] = [await at.world.tenant(), await at.world.tenant()];
    const event = await one.audited();
    await two.ingest([event]);
    const { key } = await at.world.key({ tenantIds: [one.tenantId, two.tenantId] });
    const { body } = await at.world.get('/audit-activity', key);
    expect(body.data.map((item: { tenantId: string }) => item.tenantId).sort()).toEqual(
      [one.tenantId, two.tenantId].sort(),
    );
    expect(body.data[0].recordId).not.toBe(body.data[1].recordId);
  });
});
