import { identityOf } from '../../src/caller/session/claims';

const NAMES = { tenantsClaim: 'https://example.com/tenants', roleClaim: 'groups' };
const existing = async (ids: readonly number[]) => ids.filter((id) => id <= 3);
const of = (claims: object) => identityOf({ sub: 's1', ...claims }, NAMES, existing);
const tenants = (value: unknown) => of({ groups: 'analyst', [NAMES.tenantsClaim]: value });

describe('the claims of an ID token', () => {
  it.each([
    [
      ['1', 2],
      [1, 2],
    ],
    ['1, 3', [1, 3]],
    ['2 2', [2, 2]],
    [3, [3]],
    [['1', '99', 'x', '-1', '1e0'], [1]],
  ])('grant tenants: %j', async (value, tenantIds) => {
    expect(await tenants(value)).toMatchObject({ kind: 'public', tenantIds });
  });

  it.each([[undefined], [null], [''], [[]], [{ 1: true }], [true], [['99']]])(
    'grant no tenant: %j',
    async (value) => {
      expect(await tenants(value)).toBe('no_tenants');
    },
  );

  it.each([[undefined], ['Analyst'], ['operators'], [{ operator: true }], [null], [[['operator', 'x']]]])(
    'grant no role: %j',
    async (groups) => {
      expect(await of({ groups, [NAMES.tenantsClaim]: ['1'] })).toBe('no_role');
    },
  );

  it('grant an analyst the listed scopes of analysts, and no new scope by itself', async () => {
    expect(await tenants('1')).toMatchObject({ scopes: ['read:audit-activity'] });
  });

  it('grant an analyst the scopes for alerts that the role claim names, and no others', async () => {
    const groups = ['analyst', 'work:alerts', 'read:alerts', 'read:reports', 'root'];
    expect(await of({ groups, [NAMES.tenantsClaim]: ['1'] })).toMatchObject({
      scopes: ['read:audit-activity', 'read:alerts', 'work:alerts', 'read:reports'],
    });
  });

  it('make an operator of a person with both roles, and grant an operator no tenant', async () => {
    const both = await of({ groups: ['analyst', 'operator'], [NAMES.tenantsClaim]: ['1'] });
    expect(both).toEqual({ user: 's1', kind: 'operator', scopes: [], tenantIds: [] });
  });

  it('name a person by name and subject, since somebody else may take the name', async () => {
    expect(await of({ groups: 'operator', preferred_username: 'ada', email: 'a@b' })).toMatchObject({
      user: 'ada (s1)',
    });
    expect(await of({ groups: 'operator', email: 'a@b' })).toMatchObject({ user: 'a@b (s1)' });
  });

  it('name a person without control characters, which the database does not store', async () => {
    const claims = { groups: 'operator', preferred_username: 'a\u0000d\na', sub: 's\u0000' };
    expect(await of(claims)).toMatchObject({ user: 'a\uFFFDd\uFFFDa (s\uFFFD)' });
  });
});
