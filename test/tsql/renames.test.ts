import { renameIn } from '../../src/tsql/renames';

describe('the login that a statement renames', () => {
  it.each<[string, string | null, readonly [from: string, to: string] | null]>([
    ['ALTER LOGIN sa WITH NAME = [svc]', null, ['sa', 'svc']],
    ['alter/**/login[CORP\\eve]with name=[CORP\\m]]al]', null, ['CORP\\eve', 'CORP\\m]al']],
    ["ALTER LOGIN a WITH PASSWORD = 'name = x', NAME = b", 'other', ['a', 'b']],
    ['ALTER LOGIN a WITH NAME = b; ALTER LOGIN c ENABLE ALTER LOGIN "d" WITH NAME = e', null, ['a', 'b']],
    ['ALTER LOGIN a WITH NAME = b; ALTER LOGIN c ENABLE ALTER LOGIN "d" WITH NAME = e', 'D', ['d', 'e']],
    ['ALTER LOGIN a WITH NAME = b; ALTER LOGIN d WITH NAME = e', 'E', ['d', 'e']],
    ['ALTER LOGIN a WITH DEFAULT_DATABASE = name', null, null],
    ['ALTER LOGIN a ENABLE; SELECT name = x FROM t', null, null],
    ['ALTER USER a WITH NAME = b', null, null],
    ['ALTER LOGIN a WITH NAME =', null, null],
    ['ALTER LOGIN', null, null],
  ])('of %s, whose record names %s, is %j', (sql, name, rename) => {
    const found = renameIn(sql, name);
    expect(found && [found.from, found.to]).toEqual(rename);
  });
});
