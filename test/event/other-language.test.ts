import fc from 'fast-check';
import { otherLanguage, otherLanguageHint } from '../../src/event/expression/other-language';
import { parseFilter } from '../../src/event/expression/parse-filter';
import { FILTER_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';

/** What is typed, the same question here, its time, and how many differences are told. */
const KQL = [
  ['user == "sa"', 'principalName:sa', null, 0],
  ["login == 'CORP\\svc etl'", 'principalName:"CORP\\svc etl"', null, 0],
  ['serverPrincipalName == "CORP\\\\alice"', 'principalName:CORP\\alice', null, 0],
  ['user == @"CORP\\new"', 'principalName:CORP\\new', null, 0],
  [
    'objectName =~ "payroll" and not(user == "sa" or user == "b")',
    'objectName~payroll AND NOT (principalName:sa OR principalName:b)',
    null,
    0,
  ],
  [
    'user == "a" or user == "b" and db == "c"',
    'principalName:a OR (principalName:b AND databaseName:c)',
    null,
    0,
  ],
  [
    '(user == "a" or user == "b") and db == "c"',
    '(principalName:a OR principalName:b) AND databaseName:c',
    null,
    0,
  ],
  ['user != "sa" and db == "x"', 'NOT principalName:sa AND databaseName:x', null, 0],
  ['user != "" and db == ""', 'principalName:* AND NOT databaseName:*', null, 0],
  ['isempty(user)', 'NOT principalName:*', null, 0],
  ['user in ("a", "b c")', 'principalName:a OR principalName:"b c"', null, 0],
  ['user !in~ ("a", "b")', 'NOT (principalName~a OR principalName~b)', null, 0],
  ['table startswith "Pay"', 'objectName~Pay*', null, 0],
  ['table startswith_cs "Pay roll"', 'objectName:"Pay roll"*', null, 0],
  ['statement contains "drop table"', 'statement:"drop table"', null, 0],
  ['statement !contains "drop"', 'NOT statement:drop', null, 0],
  ['statement has "drop"', 'statement:drop', null, 1],
  ['objectName has "Payroll"', 'Payroll', null, 1],
  ['objectName contains "Pay"', '"Pay"', null, 1],
  ['affectedRows >= 100 and user == "x"', 'affectedRows:>=100 AND principalName:x', null, 0],
  ['succeeded == false', 'succeeded:false', null, 0],
  ['clientIp == "10.0.0.0/8"', 'clientIp:"10.0.0.0/8"', null, 0],
  ['TimeGenerated > ago(7d) and user == "sa"', 'principalName:sa', '7d', 0],
  ['where eventTime >= ago(2w)', '', '14d', 0],
  ['isNotEmpty(user) and isNull(db)', 'principalName:* AND NOT databaseName:*', null, 0],
  ['objectName == @"say ""hi"" twice"', 'objectName:"say \\"hi\\" twice"', null, 0],
  ['statement contains_cs "Drop"', 'statement:Drop', null, 1],
  ['objectName has_cs "Payroll"', 'Payroll', null, 2],
  [
    `${Array(25).fill('(user == "a")').join(' or ')}`,
    Array(25).fill('principalName:a').join(' OR '),
    null,
    0,
  ],
  [
    'AuditEvents | where user == "sa" | where db == "HR" | take 10',
    'principalName:sa AND databaseName:HR',
    null,
    2,
  ],
] as const;

const SPL = [
  ['user="sa"', 'principalName~sa', null, 0],
  ['index=main user="sa"', 'principalName~sa', null, 1],
  ['search index=main', '', null, 1],
  ['index=main sourcetype=audit NOT user=sa', 'NOT principalName~sa', null, 2],
  ['index=x user!="sa"', 'principalName:* AND NOT principalName~sa', null, 1],
  ['user=svc*', 'principalName~svc*', null, 0],
  ['user="*"', 'principalName:*', null, 0],
  ['statement="*drop table*"', 'statement:"drop table"', null, 0],
  ['object="*pay*"', '"pay"', null, 1],
  ['user IN ("a", b)', 'principalName~a OR principalName~b', null, 0],
  // Unlike here, OR binds before AND.
  ['user="a" OR user="b" db="c"', '(principalName~a OR principalName~b) AND databaseName~c', null, 0],
  ['index=main salary svc_etl sal* "a b"', 'salary AND "svc_etl" AND sal* AND "a b"', null, 1],
  ['ip="10.0.0.0/8"', 'clientIp:10.0.0.0/8', null, 0],
  ['responseRows>1000 index=main', 'responseRows:>1000', null, 1],
  ['earliest=-24h latest=now user="CORP\\\\alice"', 'principalName~CORP\\alice', '24h', 0],
  ['index=x user="a" | stats count by db', 'principalName~a', null, 2],
] as const;

describe('a filter in the language of another product', () => {
  it.each([...KQL.map((each) => ['KQL', ...each] as const), ...SPL.map((each) => ['SPL', ...each] as const)])(
    '%s: %s is %s here',
    (language, typed, filter, range, differences) => {
      const found = otherLanguage(typed);
      expect(found?.differences.length === 0 ? [] : found?.differences).toHaveLength(differences);
      expect(found).toMatchObject({ language, filter, range });
      if (filter) expect('expression' in parseFilter(filter)).toBe(true);
    },
  );

  it.each([
    ['nosuch == "a"', /No field is named nosuch/],
    ['user == sa', /sa is not a value/],
    ['user == "CORP\\new"', /backslash/],
    ['user endswith "a"', /endswith/],
    ['user matches regex "a" and db == "x"', /is not/],
    ['tolower(user) == "sa"', /tolower/],
    ['not(user contains "a") and db == "x"', /opposite/],
    ['user !has "a"', /opposite/],
    ['not(TimeGenerated > ago(7d))', /negated/],
    ['(db == "x" and TimeGenerated > ago(7d)) or user == "a"', /OR/],
    ['TimeGenerated < ago(7d)', /ago/],
    ['TimeGenerated > ago(7d) and TimeGenerated > ago(1d)', /Two times/],
    ['TimeGenerated > ago(99999d)', /time/],
    ['T | take 5 | where user == "a"', /after another step/],
    ['responseRows != 5 and db == "x"', /without the number/],
    ['recordId == "x"', /UUID/],
    ['host="SQL1"', /serverInstanceName/],
    ['index=a OR user="b"', /OR/],
    ['NOT index=main', /negated/],
    ['earliest=-7d@d user="a"', /time range/],
    ['user="*a"', /end of a value/],
    ['user="a*b"', /ends of a value/],
    ['index=x | where user="a"', /where/],
    ['index=x [ search user="a" ]', /not known/],
    ['index=x `macro`', /not known/],
    ['user="a" or user="b"', /lower case/],
    ['index=x (user="a"', /missing/],
    ['user="a', /not known/],
    ['index=x user="a" | stats count | search db="b"', /after another step/],
    ['index!=x user="a"', /No field is named index/],
    ['(index=x OR user="a") NOT db="b"', /OR/],
    ['earliest=-0d user="a"', /time/],
    ['earliest=-10000d user="a"', /time/],
    ['earliest=-1429w user="a"', /time/],
    ['earliest=-7y user="a"', /time/],
    ['earliest=7d user="a"', /time/],
  ])('is not rewritten where a part is not known: %s', (typed, why) => {
    const found = otherLanguage(typed);
    expect(found?.filter ?? null).toBeNull();
    expect(found?.differences.join()).toMatch(why);
    expect(otherLanguageHint(typed)).toBe('');
  });

  it('is asked of as many minutes, hours or days as it names, up to the most that a range has', () => {
    const units = { m: 'm min minute minutes', h: 'h hr hour hours', d: 'd day days' };
    const rangeOf = (time: string) => otherLanguage(`earliest=-${time} user="a"`)?.range;
    for (const [letter, names] of Object.entries(units))
      for (const name of names.split(' ')) expect(rangeOf(`3${name}`)).toBe(`3${letter}`);
    for (const name of ['w', 'week', 'weeks']) expect(rangeOf(`3${name}`)).toBe('21d');
    expect(['1m', '9999d', '1428w'].map(rangeOf)).toEqual(['1m', '9999d', '9996d']);
  });

  it.each([
    ...['', 'salary', 'user=sa', 'a=b 1=1', 'principalName:sa', 'principalName:sa and x', '"user == 1"'],
    ...[
      'objectName:"a == b"',
      'principalName:sa AND user == "x"',
      'statement:"where user=sa*"',
      'ago',
      'in (a b)',
    ],
    ...['it has been', 'user != "sa"', 'where id = 7', `user == "${'a'.repeat(5_000)}"`],
  ])('is not seen in %s', (typed) => {
    expect(otherLanguage(typed)).toBeNull();
  });

  it('is answered by a filter that is understood, or by none, whatever is typed', () => {
    const pieces = fc.constantFrom(
      ...[
        'user',
        'db',
        'statement',
        'nosuch',
        'responseRows',
        'index',
        'host',
        ' ',
        ' ',
        ' == ',
        '=',
        '!=',
        '=~',
      ],
      ...[
        ' has ',
        ' contains ',
        ' in ',
        '(',
        ')',
        ',',
        '"sa"',
        '"a\\b"',
        '"x*"',
        "'y'",
        '5',
        'ago(7d)',
        '|',
        '*',
      ],
      ...[
        ' and ',
        ' or ',
        ' not ',
        ' AND ',
        ' OR ',
        ' NOT ',
        'where ',
        'search ',
        '"',
        '\\',
        '/',
        ':',
        '~',
        '\u202e',
      ],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 24 }), (typed) => {
        const found = otherLanguage(typed.join(''));
        if (found?.filter) expect('expression' in parseFilter(found.filter)).toBe(true);
        expect(found?.filter === null ? found.differences.length : 1).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is a part of the message of a filter that a caller sends', () => {
    const refused = (filter: string) => {
      try {
        return parseParameters(FILTER_PARAMETERS, { filter });
      } catch (error) {
        return (error as Error).message;
      }
    };
    const problem = 'filter is not understood at character 6: expected a word: letters or digits';
    expect(refused('user == "sa"')).toBe(
      `${problem}; this looks like KQL: the same is asked here by \`principalName:sa\`.`,
    );
    expect(refused('user == "sa" and nosuch == 1')).toBe(`${problem}.`);
    expect(refused(`user == "${'a'.repeat(600)}"`)).toBe(`${problem}.`);
  });

  it('is read in the time of its length', () => {
    for (const piece of [
      '(',
      '"',
      'a ',
      'user == "a" and ',
      '\\',
      '| ',
      '=',
      "'",
      'NOT ',
      'not(',
      'user!=',
      '  ',
    ]) {
      const began = process.cpuUsage();
      otherLanguage(`user == "a" ${piece.repeat(Math.floor(4_000 / piece.length))}`);
      otherLanguage(`index=a ${piece.repeat(Math.floor(4_000 / piece.length))}`);
      expect(process.cpuUsage(began).user).toBeLessThan(5_000_000);
    }
  });
});
