import { renamesIn } from '../../src/tsql/renames';

describe('the logins that a statement renames', () => {
  it.each<[string, readonly [from: string, to: string][]]>([
    ['ALTER LOGIN sa WITH NAME = [svc]', [['sa', 'svc']]],
    ['alter/**/login[CORP\\eve]with name=[CORP\\m]]al]', [['CORP\\eve', 'CORP\\m]al']]],
    ["ALTER LOGIN a WITH PASSWORD = 'name = x', NAME = b", [['a', 'b']]],
    [
      'ALTER LOGIN a WITH NAME = b; ALTER LOGIN c ENABLE ALTER LOGIN "d" WITH NAME = e',
      [
        ['a', 'b'],
        ['d', 'e'],
      ],
    ],
    ['ALTER LOGIN a WITH DEFAULT_DATABASE = name', []],
    ['ALTER LOGIN a ENABLE; SELECT name = x FROM t', []],
    ['ALTER USER a WITH NAME = b', []],
    ['ALTER LOGIN a WITH NAME =', []],
    ['ALTER LOGIN', []],
  ])('of %s are %j', (sql, renames) => {
    expect(renamesIn(sql).map(({ from, to }) => [from, to])).toEqual(renames);
  });
});
