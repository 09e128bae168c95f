import { ENGINES } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import type { Query, TestTenant } from '../../support/world';

const FIELD = {
  actionId: 'actionId',
  databaseName: 'databaseName',
  principalName: 'serverPrincipalName',
  serverInstanceName: 'serverInstanceName',
} as const;
type Filter = keyof typeof FIELD;
const FILTERS = Object.keys(FIELD) as Filter[];

describe.each(ENGINES)('filters of GET /audit-activity on %s', (engine) => {
  const at = useWorld(engine);
  let acme: TestTenant;
  beforeEach(async () => {
    acme = await at.world.tenant();
  });
  const found = async (field: string, query: Query): Promise<unknown[]> => {
    const { data, meta } = (await acme.get('/audit-activity', { sortDirection: 'asc', ...query })).body;
    expect(meta.totalCount).toBe(data.length);
    return data.map((item: Record<string, unknown>) => item[field]);
  };

  describe.each(FILTERS)('%s', (filter) => {
    const field = FIELD[filter];

    it.each([
      ['letter case', 'Wert', ['wert', 'WERT', 'werT']],
      ['accents', 'Wért', ['Wert', 'We\u0301rt']],
      ['spaces around it', 'Wert', [' Wert', 'Wert ', 'We rt']],
      ['what follows it', 'We', ['Wert', 'W', 'We%', 'We*']],
      ['wildcards of SQL', 'W%', ['Wert', 'W_', 'W']],
      ['wildcards of searches', 'W*', ['Wert', 'W']],
      ['quotes', `'"\\`, [`'`, `"`, '\\', `'"`]],
    ])('distinguishes %s', async (_, wanted, others) => {
      for (const value of [wanted, ...others]) await acme.audited({ [field]: value });
      expect(await found(field, { [filter]: wanted })).toEqual([wanted]);
    });

    it('finds all events with its value, and no others', async () => {
      for (const value of ['A', 'B', 'A', 'C', 'A']) await acme.audited({ [field]: value });
      expect(await found(field, { [filter]: 'A' })).toEqual(['A', 'A', 'A']);
      expect(await found(field, { [filter]: 'D' })).toEqual([]);
    });
  });

  it('never finds an event that lacks the field', async () => {
    await acme.audited({ databaseName: null, serverPrincipalName: null, serverInstanceName: null });
    expect(await found('databaseName', { databaseName: 'null' })).toEqual([]);
    expect(await found('serverPrincipalName', { principalName: 'null' })).toEqual([]);
    expect(await found('serverInstanceName', { serverInstanceName: 'null' })).toEqual([]);
  });

  it('succeeded takes true and false', async () => {
    for (const succeeded of [true, false, true]) await acme.audited({ succeeded });
    expect(await found('succeeded', { succeeded: 'true' })).toEqual([true, true]);
    expect(await found('succeeded', { succeeded: 'false' })).toEqual([false]);
  });

  it('compares principalName with the server principal, not the database principal', async () => {
    await acme.audited({ serverPrincipalName: 'login', databasePrincipalName: 'user' });
    expect(await found('databasePrincipalName', { principalName: 'login' })).toEqual(['user']);
    expect(await found('databasePrincipalName', { principalName: 'user' })).toEqual([]);
  });

  it('finds the longest names that can be stored', async () => {
    const [name, action] = ['n'.repeat(512), 'a'.repeat(16)];
    const names = { databaseName: name, serverInstanceName: name };
    await acme.audited({ ...names, serverPrincipalName: name, actionId: action });
    const query = { ...names, principalName: name, actionId: action };
    expect(await found('databaseName', query)).toEqual([name]);
  });

  it('are combined with AND', async () => {
    for (const databaseName of ['A', 'B']) {
      for (const serverPrincipalName of ['A', 'B']) {
        for (const actionId of ['A', 'B'])
          await acme.audited({ databaseName, serverPrincipalName, actionId, succeeded: actionId === 'B' });
      }
    }
    expect(await found('actionId', { databaseName: 'A', principalName: 'B' })).toEqual(['A', 'B']);
    const failed = { databaseName: 'A', principalName: 'B', succeeded: 'false' };
    expect(await found('actionId', failed)).toEqual(['A']);
    const all = { databaseName: 'B', principalName: 'A', actionId: 'B', search: 'SELECT', startTime: '2026' };
    const { startTime: _, ...filters } = all;
    expect(await found('serverPrincipalName', { ...filters, startTime: '2026-01-01' })).toEqual(['A']);
    expect(await found('serverPrincipalName', { ...filters, endTime: '2026-01-01' })).toEqual([]);
  });
});
