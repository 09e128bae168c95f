import { complete, fieldsLike, typedAt } from '../../dashboard/src/explore/filter/completion';
import { FIELD_LABELS } from '../../dashboard/src/lib/field-labels';

/** The typed part before the mark ▸. */
const at = (text: string) => typedAt(text.replace('▸', ''), text.indexOf('▸'));

describe('the part of a filter that is typed', () => {
  it.each([
    ['obj▸', { kind: 'field', typed: 'obj', start: 0 }],
    ['a AND -pri▸ b', { kind: 'field', typed: 'pri', start: 7 }],
    ['(hostN▸', { kind: 'field', typed: 'hostN', start: 1 }],
    ['objectName:Pay▸', { kind: 'value', field: 'objectName', typed: 'Pay', start: 11 }],
    ['user:x principalname~▸', { kind: 'value', field: 'serverPrincipalName', typed: '', start: 21 }],
    ['objectName:"Pay ro▸', { kind: 'value', field: 'objectName', typed: 'Pay ro', start: 11 }],
    ['objectName:(a OR b▸', { kind: 'value', field: 'objectName', typed: 'b', start: 17 }],
    ['NOT (hostName:W▸)', { kind: 'value', field: 'hostName', typed: 'W', start: 14 }],
  ])('is a name or a value: %s', (text, typed) => {
    expect(at(text)).toEqual(typed);
  });

  it.each(['▸', 'a ▸', 'nosuch:x▸', 'objectName:(a) ▸', '10▸', 'objectName:(a OR b) c:▸'])(
    'is nothing to complete: %s',
    (text) => {
      expect(at(text)).toBeNull();
    },
  );

  it('gives way to what is chosen, with the rest of the word and its quotation mark', () => {
    const completed = (text: string, inserted: string) => {
      const typed = at(text);
      if (!typed) throw new Error('nothing is typed');
      const { text: next, caret } = complete(text.replace('▸', ''), text.indexOf('▸'), typed, inserted);
      return `${next.slice(0, caret)}▸${next.slice(caret)}`;
    };
    expect(completed('objectName:Pay▸ AND x', 'Payroll')).toBe('objectName:Payroll▸ AND x');
    expect(completed('objectName:"Pay▸ro" x', '"Pay roll"')).toBe('objectName:"Pay roll"▸ x');
    expect(completed('objectName:(a OR P▸ay)', 'Payroll')).toBe('objectName:(a OR Payroll▸)');
    expect(completed('x pri▸nc', 'principalName:')).toBe('x principalName:▸');
  });
});

describe('the fields that are offered', () => {
  it('have the typed text in a name or label, those that begin with it first', () => {
    expect(fieldsLike('princ', FIELD_LABELS)).toEqual([
      'serverPrincipalName',
      'databasePrincipalName',
      'targetServerPrincipalName',
      'targetDatabasePrincipalName',
    ]);
    expect(fieldsLike('rows', FIELD_LABELS)).toEqual(['responseRows', 'affectedRows']);
    expect(fieldsLike('HOST', FIELD_LABELS)).toEqual(['hostName']);
    expect(fieldsLike('outc', FIELD_LABELS)).toEqual(['succeeded']);
    expect(fieldsLike('data', FIELD_LABELS)[0]).toBe('databaseName');
    expect(fieldsLike('name', FIELD_LABELS).length).toBeGreaterThan(5);
    expect(fieldsLike('zzz', FIELD_LABELS)).toEqual([]);
    const first = fieldsLike('s', FIELD_LABELS);
    const begins = first.indexOf('databaseName');
    expect(first.indexOf('schemaName')).toBeLessThan(begins);
    expect(first.indexOf('statement')).toBeLessThan(begins);
  });
});
