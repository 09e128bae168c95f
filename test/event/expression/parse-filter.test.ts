import type { Expression } from '../../../src/event/expression/expression';
import { parseFilter } from '../../../src/event/expression/parse-filter';

/** An expression in a uniform notation, with every part in brackets. */
function shown(expression: Expression): string {
  switch (expression.kind) {
    case 'not':
      return `not ${shown(expression.of)}`;
    case 'and':
    case 'or':
      return `[${expression.of.map(shown).join(` ${expression.kind} `)}]`;
    case 'words':
      return `${expression.term.kind}<${expression.term.text}>`;
    case 'field': {
      const { field, how, isFolded, bounds } = expression;
      const text = bounds ? `${bounds.from ?? '*'} to ${bounds.to ?? '*'}` : expression.text;
      return `${field}${isFolded ? '~' : ' '}${how}<${text}>`;
    }
  }
}

function read(text: string): string {
  const parsed = parseFilter(text);
  return 'problem' in parsed ? parsed.problem : shown(parsed.expression);
}

describe('the language of filter', () => {
  it.each([
    ['objectName:Payroll', 'objectName equals<Payroll>'],
    ['OBJECTNAME:Payroll', 'objectName equals<Payroll>'],
    ['principalName:sa', 'serverPrincipalName equals<sa>'],
    ['principalName~SA', 'serverPrincipalName~equals<SA>'],
    ['principalName~"a b"*', 'serverPrincipalName~begins<a b>'],
    ['objectName:Pay*', 'objectName begins<Pay>'],
    ['objectName:"a b"*', 'objectName begins<a b>'],
    ['objectName:"a*"', 'objectName equals<a*>'],
    ['objectName:*', 'objectName present<>'],
    ['clientIp:fe80::1', 'clientIp equals<fe80::1>'],
    ['clientIp:10.1.7.12', 'clientIp equals<10.1.7.12>'],
    ['principalName:CORP\\svc', 'serverPrincipalName equals<CORP\\svc>'],
    ['principalName:CORP\\\\svc', 'serverPrincipalName equals<CORP\\\\svc>'],
    ['principalName:"CORP\\svc"', 'serverPrincipalName equals<CORP\\svc>'],
    ['principalName:"CORP\\\\svc"', 'serverPrincipalName equals<CORP\\svc>'],
    ['objectName:"a\\"b"', 'objectName equals<a"b>'],
    ['objectName:a"b', 'objectName equals<a"b>'],
    ['objectName:-5', 'objectName equals<-5>'],
    ['objectName:AND', 'objectName equals<AND>'],
    ['objectName:">5"', 'objectName equals<>5>'],
    ['objectName:a>5', 'objectName equals<a>5>'],
    ['responseRows:1000', 'responseRows equals<1000>'],
    ['responserows:"007"', 'responseRows equals<7>'],
    ['sessionId~+55', 'sessionId equals<55>'],
    ['affectedRows:-0', 'affectedRows equals<0>'],
    ['responseRows:>1000', 'responseRows between<1001 to *>'],
    ['responseRows:>=1000', 'responseRows between<1000 to *>'],
    ['responseRows:<1000', 'responseRows between<* to 999>'],
    ['responseRows:<=-5', 'responseRows between<* to -5>'],
    ['responseRows:>9223372036854775807', 'responseRows between<9223372036854775808 to *>'],
    ['affectedRows:(10 TO 99)', 'affectedRows between<10 to 99>'],
    ['affectedRows:(* TO 99)', 'affectedRows between<* to 99>'],
    ['affectedRows:(10 TO *)', 'affectedRows between<10 to *>'],
    [
      'affectedRows:(1 OR 10  TO 99 OR NOT >5)',
      '[affectedRows equals<1> or affectedRows between<10 to 99> or not affectedRows between<6 to *>]',
    ],
    ['responseRows:*', 'responseRows present<>'],
    ['roleMember~EVE*', 'roleMember~begins<EVE>'],
    ['actionId:(TO OR TRO)', '[actionId equals<TO> or actionId equals<TRO>]'],
    ['actionId:(SL TO)', '[actionId equals<SL> and actionId equals<TO>]'],
    ['actionId:(SL TO OR UP)', '[[actionId equals<SL> and actionId equals<TO>] or actionId equals<UP>]'],
    ['actionId:(SL TO NOT UP)', '[actionId equals<SL> and actionId equals<TO> and not actionId equals<UP>]'],
    ['clientIp:10.0.0.0/8', 'clientIp within<10.0.0.0/8>'],
    ['clientIp~2001:DB8::/32', 'clientIp within<2001:DB8::/32>'],
    ['clientIp:(10.0.0.0/8 OR ::1)', '[clientIp within<10.0.0.0/8> or clientIp equals<::1>]'],
    ['clientIp:"10.0.0.0/8"', 'clientIp equals<10.0.0.0/8>'],
    ['objectName:10.0.0.0/8', 'objectName equals<10.0.0.0/8>'],
    ['statement:drop', 'statement holds<drop>'],
    ['statement:"drop table"', 'statement holds<drop table>'],
    ['statement:*', 'statement present<>'],
    ['succeeded:false', 'succeeded equals<false>'],
    ['tenantId:3', 'tenantId equals<3>'],
    [
      'recordId:019638AC-EAEE-8246-A524-3F486AD33B01',
      'recordId equals<019638ac-eaee-8246-a524-3f486ad33b01>',
    ],
    ['salary', 'word<salary>'],
    ['Sal*', 'prefix<sal>'],
    ['"drop  Table"', 'phrase<drop  Table>'],
    ['dbo.Payroll', '[word<dbo> and word<payroll>]'],
    ['and or not', '[word<and> and word<or> and word<not>]'],
    ['a b', '[word<a> and word<b>]'],
    ['a AND b', '[word<a> and word<b>]'],
    ['a OR b c', '[word<a> or [word<b> and word<c>]]'],
    ['a OR b AND c OR d', '[word<a> or [word<b> and word<c>] or word<d>]'],
    ['NOT a b', '[not word<a> and word<b>]'],
    ['NOT a OR b', '[not word<a> or word<b>]'],
    ['-a', 'not word<a>'],
    ['-"a b"', 'not phrase<a b>'],
    ['-objectName:x', 'not objectName equals<x>'],
    ['-(a OR b)', 'not [word<a> or word<b>]'],
    ['NOT NOT a', 'word<a>'],
    ['NOT(a)b', '[not word<a> and word<b>]'],
    ['(a OR b) c', '[[word<a> or word<b>] and word<c>]'],
    ['objectName:(a OR b)', '[objectName equals<a> or objectName equals<b>]'],
    [
      'objectName:(a* -"b c" NOT d)',
      '[objectName begins<a> and not objectName equals<b c> and not objectName equals<d>]',
    ],
    ['clientIp~(x:1 OR (y AND *))', '[clientIp~equals<x:1> or [clientIp~equals<y> and clientIp present<>]]'],
    ['objectName:x(y)', '[objectName equals<x> and word<y>]'],
    [' \n a\t', 'word<a>'],
    ['succeeded~FALSE', 'succeeded equals<false>'],
  ])('%s', (text, expression) => {
    expect(read(text).replace('clientIp~present', 'clientIp present')).toBe(expression);
  });

  it.each([
    ['', 1, 'expected a term'],
    ['a AND', 6, 'expected a term'],
    ['a OR OR b', 6, 'expected a term before OR'],
    ['AND a', 1, 'expected a term before AND'],
    ['(a', 3, 'expected a closing parenthesis'],
    ['a)', 2, 'expected no closing parenthesis'],
    ['()', 2, 'expected a term'],
    ['NOT', 4, 'expected a term'],
    ['a - b', 4, 'expected a term right after the minus sign'],
    ['objectName:', 12, 'expected a value right after "objectName:"'],
    ['objectName: x', 12, 'expected a value right after "objectName:"'],
    ['objectName:()', 13, 'expected a value'],
    ['objectName:(a OR)', 17, 'expected a value'],
    ['objectName:a*b', 13, 'expected * at the end'],
    ['objectName:""', 12, 'expected text between the quotation marks'],
    ['objectName:"a"b', 15, 'expected a space after the quotation mark'],
    ['a "b', 3, 'expected a closing quotation mark'],
    ['"C:\\"', 1, 'expected a closing quotation mark'],
    ['a object:x', 3, 'expected a field in place of "object"'],
    ['12:30', 1, 'expected a field in place of "12"'],
    [':x', 1, 'expected the name of a field'],
    ['eventTime:2026', 1, 'use startTime and endTime'],
    ['statementPreview:x', 1, 'expected statement'],
    ['succeeded:yes', 11, 'expected true or false'],
    ['succeeded:t*', 11, 'expected true or false'],
    ['recordId:5', 10, 'expected a UUID'],
    ['succeeded~YES', 11, 'expected true or false'],
    ['succeeded:TRUE', 11, 'expected true or false'],
    ['a responseRows:many', 16, 'expected a whole number from -9223372036854775808 to 9223372036854775807'],
    ['responseRows:1.5', 14, 'expected a whole number'],
    ['responseRows:9223372036854775808', 14, 'expected a whole number'],
    ['responseRows:1*', 14, 'expected a whole number'],
    ['responseRows:>', 15, 'expected a whole number'],
    ['responseRows:> 5', 15, 'expected a whole number'],
    ['responseRows:>>5', 15, 'expected a whole number'],
    ['responseRows:>"5"', 15, 'expected a whole number'],
    ['responseRows:(5 TO x)', 20, 'expected a whole number'],
    ['responseRows:(x TO 5)', 15, 'expected a whole number'],
    ['responseRows:(5 TO)', 17, 'expected a whole number'],
    ['responseRows:(99 TO 10)', 21, 'expected a number of at least 99 as the end of the range'],
    ['responseRows:10 TO 99', 14, 'expected a range in parentheses, such as responseRows:(10 TO 99)'],
    ['objectName:>5', 12, 'expected a field with numbers before >, one of responseRows, affectedRows,'],
    ['a objectName:(x OR <=5)', 20, 'and not objectName; put text with <= in quotation marks'],
    ['objectName:(a TO b)', 13, 'expected a field with numbers before TO'],
    ['clientIp:10.0.0.0/33', 10, 'expected a network such as 10.0.0.0/8 or 2001:db8::/32'],
    ['clientIp:10.0.0/8', 10, 'expected a network'],
    ['clientIp:::ffff:10.0.0.0/104', 10, 'IPv4 is written as IPv4'],
    ['clientIp:local/machine', 10, 'put other text with / in quotation marks'],
    ['a ***', 3, 'expected a word'],
    [`${'('.repeat(21)}a${')'.repeat(21)}`, 21, 'at most 20 parentheses'],
    [Array(101).fill('a').join('.'), 1, 'at most 100 terms'],
    [Array(101).fill('a').join(' '), 201, 'at most 100 terms'],
    [`objectName:(${Array(101).fill('a').join(' OR ')})`, 513, 'at most 100 terms'],
  ])('refuses %s', (text, character, problem) => {
    expect(read(text)).toMatch(new RegExp(`^at character ${character}: .*`));
    expect(read(text)).toContain(problem);
  });

  it('accepts 20 nested parentheses and 100 terms', () => {
    expect(read(`${'('.repeat(20)}a${')'.repeat(20)}`)).toBe('word<a>');
    expect(read(Array(100).fill('a').join(' OR '))).toContain('word<a>');
    expect(read(Array(100).fill('a').join('.'))).toContain('word<a>');
  });

  it('counts parentheses within each other, and not those that stand beside each other', () => {
    const beside = Array.from({ length: 60 }, (_, i) => `(a${i})`);
    expect(read(beside.join(' '))).toContain('word<a59>');
    expect(read(beside.join(' OR '))).toContain('word<a59>');
    expect(read(`objectName:(${beside.join(' OR ')})`)).toContain('objectName equals<a59>');
    const deep = `${'('.repeat(19)}a${')'.repeat(19)}`;
    expect(read(`(${deep} ${deep} ${deep})`)).toBe('[word<a> and word<a> and word<a>]');
    expect(read(`(${deep} (${deep}))`)).toContain('at most 20 parentheses');
  });

  it('parses the longest filters in a short time, whatever they hold', () => {
    for (const piece of [
      '(',
      '"',
      '\\',
      '"\\',
      'a:',
      '-',
      'NOT ',
      '*',
      '((a)',
      '"\\\\',
      'responseRows:(1 TO ',
      ' TO ',
    ])
      expect(typeof read(piece.repeat(4_096).slice(0, 4_096))).toBe('string');
  }, 2_000);
});
