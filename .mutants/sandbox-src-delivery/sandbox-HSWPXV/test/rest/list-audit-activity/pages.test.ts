import { ENGINES } from '../../support/engines';
import { anEvent } from '../../support/events';
import { useWorld } from '../../support/use-world';
import type { Query, TestTenant } from '../../support/world';

const COUNT = 45;

describe.each(ENGINES)('pages of GET /audit-activity on %s', (engine) => {
  const at = useWorld(engine);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
    await acme.ingest(Array.from({ length: COUNT }, () => anEvent()));
  });
  const get = async (query: Query) => (await acme.get('/audit-activity', query)).body;

  it('have 20 events, and the first page comes by default', async () => {
    const { data, meta } = await get({});
    expect(data).toHaveLength(20);
    expect(meta).toMatchObject({
      totalCount: COUNT,
      page: 1,
      pageSize: 20,
      totalPages: 3,
      hasPreviousPage: false,
      hasNextPage: true,
    });
  });

  it('in the middle have a page before and after them', async () => {
    const { data, meta } = await get({ page: 2 });
    expect(data).toHaveLength(20);
    expect(meta).toMatchObject({ page: 2, hasPreviousPage: true, hasNextPage: true });
  });

  it('at the end have the remaining events', async () => {
    const { data, meta } = await get({ page: 3 });
    expect(data).toHaveLength(5);
    expect(meta).toMatchObject({ page: 3, hasPreviousPage: true, hasNextPage: false });
  });

  it.each([4, 1_000, 2_147_483_647])('beyond the end (%d) are empty, with the true totals', async (page) => {
    const { data, meta } = await get({ page, pageSize: 100 });
    expect(data).toEqual([]);
    expect(meta).toMatchObject({
      totalCount: COUNT,
      page,
      pageSize: 100,
      totalPages: 1,
      hasPreviousPage: true,
      hasNextPage: false,
    });
  });

  it.each([
    [1, 45],
    [9, 5],
    [44, 2],
    [45, 1],
    [46, 1],
    [100, 1],
  ])('of size %d are %d in number, and have every event once, in order', async (pageSize, totalPages) => {
    const seen: string[] = [];
    for (let page = 1; page <= totalPages; page++) {
      const { data, meta } = await get({ page, pageSize });
      expect(meta).toMatchObject({ totalPages, hasNextPage: page < totalPages });
      seen.push(...data.map((item: { recordId: string }) => item.recordId));
    }
    expect(new Set(seen).size).toBe(COUNT);
    expect(seen).toEqual(seen.toSorted().reverse());
  });

  it('count only the matching events of a filter', async () => {
    await acme.audited({ actionId: 'DR', eventTime: '2026-01-12T00:00:00.0000000Z' });
    const { data, meta } = await get({ actionId: 'DR', pageSize: 1 });
    expect(data).toHaveLength(1);
    expect(meta).toMatchObject({ totalCount: 1, totalPages: 1, hasNextPage: false });
  });

  it('are empty for a tenant without events, with a total of 0', async () => {
    const nobody = await at.world.tenant();
    const { body } = await nobody.get('/audit-activity');
    expect(body).toMatchObject({
      data: [],
      meta: { totalCount: 0, page: 1, totalPages: 0, hasPreviousPage: false, hasNextPage: false },
    });
  });
});
