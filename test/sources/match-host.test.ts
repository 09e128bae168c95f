import { matchesHost } from '../../src/modules/sources/groups/match-host';

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
  ])('%s on %s: %s', (pattern, host, matches) => {
    expect(matchesHost(pattern, host)).toBe(matches);
  });

  it('is compared in a time that grows with the name only', () => {
    const startedMs = performance.now();
    expect(matchesHost(`${'*a'.repeat(100)}*b`, 'a'.repeat(255))).toBe(false);
    expect(performance.now() - startedMs).toBeLessThan(100);
  });
});
