import { type AgentGroup, groupOf, NOTHING_WANTED } from '../../src/modules/sources/groups/agent-group';

const made = (name: string, hosts: readonly string[]): AgentGroup => ({
  ...{ groupId: name, tenantId: 3, name, position: 1, hosts, version: 1 },
  ...{ changedAt: new Date(0), settings: NOTHING_WANTED },
});
const matchesHost = (pattern: string, host: string) => groupOf([made('one', [pattern])], host) !== null;

describe('a pattern of host names', () => {
  it.each([
    ['sql01', 'SQL01', true],
    ['sql01', 'sql011', false],
    ['sql*', 'SQLPROD', true],
    ['sql*', 'mysql', false],
    ['*prod', 'sqlPROD', true],
    ['*prod', 'sqlprod2', false],
    ['*', '', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'acb', false],
    ['*ab*ab*', 'xabab', true],
    ['*ab*ab*', 'xab', false],
    ['a**b', 'ab', true],
    ['sql.1', 'sqlx1', false],
    ['sql?1', 'SQLx1', true],
    ['sql?1', 'sql1', false],
  ])('%s on %s: %s', (pattern, host, matches) => {
    expect(matchesHost(pattern, host)).toBe(matches);
  });
});

describe('the group of a host', () => {
  it('is the first that names it', () => {
    const groups = [made('a', ['web*']), made('b', ['x', 'sql*']), made('c', ['sql01'])];
    expect(groupOf(groups, 'SQL01')?.name).toBe('b');
    expect(groupOf(groups, 'db01')).toBeNull();
  });
});
