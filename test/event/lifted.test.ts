import type { JsonScalar } from '../../src/event/audit-record';
import { LIFTED_NAMES } from '../../src/event/fields';
import { liftedOf, liftedValue } from '../../src/event/lifted';

const stating = (additional: Record<string, JsonScalar>, actionId = 'SL') => ({ actionId, additional });

describe('the value of a lifted field', () => {
  it.each<[JsonScalar | undefined, string | null]>([
    ['1000', '1000'],
    [1000, '1000'],
    [-0, '0'],
    ['0', '0'],
    ['-5', '-5'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9223372036854775808', null],
    ['99999999999999999999', null],
    [Number.MAX_SAFE_INTEGER, String(Number.MAX_SAFE_INTEGER)],
    [2 ** 53, null],
    [1.5, null],
    ['1.0', null],
    ['007', null],
    ['-0', null],
    [' 5', null],
    ['many', null],
    ['', null],
    [true, null],
    [null, null],
    [undefined, null],
  ])('of a number that is stated as %j is %j', (stated, value) => {
    const additional = stated === undefined ? {} : { responseRows: stated };
    expect(liftedValue('responseRows', stating(additional))).toBe(value);
  });

  it.each<[JsonScalar, string | null]>([
    ['eve', 'eve'],
    [' eve ', ' eve '],
    [5, '5'],
    ['', null],
    [false, null],
    [null, null],
    ['x'.repeat(512), 'x'.repeat(512)],
    ['x'.repeat(513), null],
    ['\u{1F600}'.repeat(512), '\u{1F600}'.repeat(512)],
    ['\u{1F600}'.repeat(513), null],
    ['\u{10FFFF}'.repeat(256), '\u{10FFFF}'.repeat(256)],
    ['\u{10FFFF}'.repeat(257), null],
  ])('of a text that is stated as %j is %j', (stated, value) => {
    expect(liftedValue('targetServerPrincipalName', stating({ targetServerPrincipalName: stated }))).toBe(
      value,
    );
  });

  it('is a class type without the spaces that SQL Server pads it with', () => {
    expect(liftedValue('classType', stating({ classType: 'U ' }))).toBe('U');
    expect(liftedValue('classType', stating({ classType: '  ' }))).toBeNull();
  });

  it('is the member of a changed role, and of no other action', () => {
    const both = { targetServerPrincipalName: 'eve', targetDatabasePrincipalName: 'bob' };
    expect(liftedValue('roleMember', stating(both, 'APRL'))).toBe('eve');
    expect(liftedValue('roleMember', stating(both, 'DPRL  '))).toBe('eve');
    expect(liftedValue('roleMember', stating({ ...both, targetServerPrincipalName: '' }, 'APRL'))).toBe(
      'bob',
    );
    expect(liftedValue('roleMember', stating({}, 'APRL'))).toBeNull();
    for (const action of ['SL', 'aprl', 'APRLX', ' APRL'])
      expect(liftedValue('roleMember', stating(both, action))).toBeNull();
  });

  it('is there for each field', () => {
    expect(Object.keys(liftedOf(stating({})))).toEqual(LIFTED_NAMES);
    expect(liftedOf(stating({ sessionId: 55 }))).toMatchObject({ sessionId: '55', transactionId: null });
  });
});
