import { columnsOf } from '../../src/cli/operations';
import { inOrder, toTable } from '../../src/cli/table';

describe('a table of the command line', () => {
  it('begins each column below its name, and has no blanks at the ends of lines', () => {
    const rows = [
      { id: 'a', lag: 1234567, tenants: ['7', '8'], problem: null },
      { id: 'a longer one', lag: 1, tenants: [], problem: { file: 'x\ny' } },
    ];
    expect(toTable(rows).split('\n')).toEqual([
      'id            lag      tenants  problem',
      'a             1234567  7,8      -',
      'a longer one  1        -        {"file":"x\\ny"}',
    ]);
  });

  it('says that it has no rows', () => expect(toTable([])).toBe('none'));

  it('has all fields of a type of the schema, the named ones first', () => {
    const columns = columnsOf('LogEpoch', 'reason', 'epoch');
    expect(columns).toEqual(['reason', 'epoch', 'beganAt', 'cause', 'hold', 'drill', 'lostErasures']);
    const row = {
      drill: true,
      hold: null,
      cause: 'c',
      beganAt: 'b',
      epoch: 'e',
      reason: 'r',
      lostErasures: [],
    };
    expect(Object.keys(inOrder(columns)(row))).toEqual(columns);
  });
});
