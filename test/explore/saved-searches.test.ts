import { LIMITS } from '../../src/limits';
import { DashboardSession } from '../support/dashboard-session';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';

const SAVE = `mutation($tenantId: String!, $name: String!, $filter: String!, $isShared: Boolean!) {
  saveSearch(tenantId: $tenantId, name: $name, filter: $filter, isShared: $isShared) { searchId name isOwn } }`;
const SAVE_VIEW = `mutation($tenantId: String!, $name: String!, $filter: String!, $view: String, $isShared: Boolean!) {
  saveSearch(tenantId: $tenantId, name: $name, filter: $filter, view: $view, isShared: $isShared) { filter view } }`;
const LIST = '{ savedSearches { name filter isShared isOwn } }';
const REMOVE = 'mutation($searchId: String!) { removeSavedSearch(searchId: $searchId) { name } }';

describe('saved searches', () => {
  const open = useWorld(ANY_ENGINE);
  const signIn = (key: string) => DashboardSession.signIn(open.world, key);
  const spec = { name: 'Not by the service', filter: 'NOT principalName:svc', isShared: false };

  it('are seen by their owner; shared ones by everybody who reads the tenant; none by others', async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant()];
    const colleague = await open.world.key({ tenantIds: [acme.tenantId] });
    const [mine, theirs, stranger] = await Promise.all([acme.key, colleague.key, other.key].map(signIn));
    if (!mine || !theirs || !stranger) throw new Error('three sessions are expected');
    await mine.graphql(SAVE, { ...spec, tenantId: acme.tenantId });
    await mine.graphql(SAVE, { ...spec, name: 'shared', isShared: true, tenantId: acme.tenantId });
    const names = async (session: DashboardSession) =>
      (await session.graphql(LIST)).body.data.savedSearches.map(
        ({ name, isOwn }: { name: string; isOwn: boolean }) => `${name} ${isOwn}`,
      );
    expect(await names(mine)).toEqual(['Not by the service true', 'shared true']);
    expect(await names(theirs)).toEqual(['shared false']);
    expect(await names(stranger)).toEqual([]);
    const refused = await stranger.graphql(SAVE, { ...spec, tenantId: acme.tenantId });
    expect(refused.body.errors[0].extensions.code).toBe('not_found');
  });

  it('keep what a view shows beside its filter, which may be empty, and refuse what is no query string', async () => {
    const acme = await open.world.tenant();
    const mine = await signIn(acme.key);
    const save = async (more: object) =>
      (await mine.graphql(SAVE_VIEW, { ...spec, ...more, tenantId: acme.tenantId })).body;
    const view = 'range=7d&columns=eventTime%2ChostName&groupBy=hostName&chart=table';
    expect((await save({ name: 'a', filter: '', view })).data.saveSearch).toEqual({ filter: '', view });
    expect((await save({ name: 'b', view: '' })).data.saveSearch).toEqual({ filter: spec.filter, view: '' });
    const listed = (await mine.graphql('{ savedSearches { name filter view } }')).body.data.savedSearches;
    expect(listed).toEqual([
      { name: 'a', filter: '', view },
      { name: 'b', filter: spec.filter, view: '' },
    ]);
    const problems = async (more: object) => (await save(more)).errors[0].message;
    expect(await problems({ filter: '' })).toMatch(/filter must not be empty/);
    expect(await problems({ view: 'range=<b>' })).toMatch(/view must be a query string/);
    expect(await problems({ view: 'a'.repeat(2_001) })).toMatch(/view .*2,?000 characters/);
  });

  it('are removed only by their owner', async () => {
    const acme = await open.world.tenant();
    const colleague = await open.world.key({ tenantIds: [acme.tenantId] });
    const [mine, theirs] = [await signIn(acme.key), await signIn(colleague.key)];
    const { body } = await mine.graphql(SAVE, { ...spec, isShared: true, tenantId: acme.tenantId });
    const { searchId } = body.data.saveSearch;
    const refused = await theirs.graphql(REMOVE, { searchId });
    expect(refused.body.errors[0].extensions.code).toBe('not_found');
    expect((await mine.graphql(REMOVE, { searchId })).body.data.removeSavedSearch.name).toBe(spec.name);
    expect((await mine.graphql(LIST)).body.data.savedSearches).toEqual([]);
  });

  it('are so many of one owner in a tenant; removed ones are not among them', async () => {
    const acme = await open.world.tenant();
    const mine = await signIn(acme.key);
    const bound = jest.replaceProperty(LIMITS, 'savedSearchesMax', 2 as never);
    try {
      const save = async (name: string) =>
        (await mine.graphql(SAVE, { ...spec, name, tenantId: acme.tenantId })).body;
      const { searchId } = (await save('a')).data.saveSearch;
      await save('b');
      expect((await save('c')).errors[0].extensions.code).toBe('invalid_parameter');
      await mine.graphql(REMOVE, { searchId });
      expect((await save('c')).data.saveSearch.name).toBe('c');
    } finally {
      bound.restore();
    }
  });

  it('are one list of so many, in which own ones stand before those of others are left out', async () => {
    const acme = await open.world.tenant();
    const colleague = await open.world.key({ tenantIds: [acme.tenantId] });
    const [mine, theirs] = [await signIn(acme.key), await signIn(colleague.key)];
    const save = (session: DashboardSession, name: string) =>
      session.graphql(SAVE, { ...spec, name, isShared: true, tenantId: acme.tenantId });
    for (const name of ['a', 'b', 'c']) await save(theirs, name);
    await save(mine, 'b of mine');
    const bound = jest.replaceProperty(LIMITS, 'savedSearchesShownMax', 3 as never);
    try {
      const { savedSearches } = (await mine.graphql(LIST)).body.data;
      expect(savedSearches.map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'b of mine']);
    } finally {
      bound.restore();
    }
  });

  it('are refused with every problem at once', async () => {
    const acme = await open.world.tenant();
    const mine = await signIn(acme.key);
    const { body } = await mine.graphql(SAVE, { ...spec, name: ' ', filter: 'a (', tenantId: acme.tenantId });
    expect(body.errors[0].message).toMatch(
      /name must not be empty; filter is not understood at character 4: expected a term/,
    );
    const fields = body.errors[0].extensions.problems.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(['name', 'filter']);
  });
});
