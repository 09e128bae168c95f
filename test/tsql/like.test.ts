import { like } from '../../src/tsql/like';

describe('a pattern of LIKE', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['abc', ['abc'], ['abcd', 'ab', '']],
    ['a%', ['a', 'abc'], ['ba', '']],
    ['%b_d%', ['abcd', 'bcdz'], ['bd']],
    ['[a-c]1[^2-4x]', ['a15', 'c1y'], ['d15', 'a12', 'a1x']],
    ['a[b', ['a[b'], ['ab']],
    ['[-a]', ['-', 'a'], ['b']],
    ['[a-]', ['-', 'a'], ['b']],
    ['%%%', ['', 'x'], []],
  ])('%s fits %j, and not %j', (pattern, fits, others) => {
    expect(fits.filter((text) => !like(pattern)(text))).toEqual([]);
    expect(others.filter(like(pattern))).toEqual([]);
  });

  it('of many parts takes little time', () => {
    const began = process.cpuUsage();
    like('%a'.repeat(2_000))('a'.repeat(2_000).concat('b'));
    like(`${'%a'.repeat(500)}c`)('a'.repeat(2_000));
    expect(process.cpuUsage(began).user).toBeLessThan(5_000_000);
  });
});
