import { EXAMPLES } from '../../dashboard/src/explore/filter/examples';
import { hintsOf } from '../../dashboard/src/explore/filter/hints';
import { anyCase, wantedOf, withValue } from '../../dashboard/src/explore/filter/letter-case';
import { EXPLORE } from '../../dashboard/src/explore/texts';
import { otherLanguage } from '../../src/event/expression/other-language';
import { parseFilter } from '../../src/event/expression/parse-filter';

describe('the examples of the language', () => {
  it('are six filters that are understood, without a hint', () => {
    expect(EXAMPLES).toHaveLength(6);
    for (const [filter] of EXAMPLES) {
      expect('expression' in parseFilter(filter)).toBe(true);
      expect([...hintsOf(filter, EXPLORE), otherLanguage(filter)]).toEqual([null]);
    }
  });
});

describe('the hints for a filter', () => {
  it.each([
    ['user=sa', 'principalName:sa'],
    ['principalName=sa', 'principalName:sa'],
    ['server_principal_name = sa', 'principalName:sa'],
    ["login == 'CORP\\svc etl'", 'principalName:"CORP\\svc etl"'],
    ['user="sa" AND salary', 'principalName:sa AND salary'],
    ['salary (db<>master OR x)', 'salary (NOT databaseName:master OR x)'],
    ['host != "W S"', 'NOT hostName:"W S"'],
    ['user:sa', 'principalName:sa'],
    ['-table~"a b"', '-objectName~"a b"'],
    ['ip=10.1.2.3', 'clientIp:10.1.2.3'],
  ])('offer what may be meant by %s', (typed, filter) => {
    const [hint] = hintsOf(typed, EXPLORE);
    expect(hint?.filter).toBe(filter);
    expect(typed).toContain(hint?.typed);
    expect(filter).toContain(hint?.meant);
    expect('expression' in parseFilter(hint?.meant ?? '')).toBe(true);
  });

  it.each([
    ...['', 'principalName:sa', 'user sa', 'a=b 1=1', '"user=sa"', 'statement:"where user=sa"'],
    ...[
      'objectName:user=sa',
      'clientIp:10.0.0.1',
      'objectName:10.0.0.0/8',
      'clientIp:10.*',
      'clientIp:10.20.0.0/16',
      'statement:"\\" user=sa"',
      '"\\" user=sa"',
    ],
  ])('are none for %s', (typed) => {
    expect(hintsOf(typed, EXPLORE)).toEqual([]);
  });

  it.each([
    ['objectName:a and not principalName:b', 'objectName:a AND NOT principalName:b'],
    ['(objectName:a or b) "x and y"', '(objectName:a OR b) "x and y"'],
  ])('tell operators in lower case from words: %s', (typed, filter) => {
    expect(hintsOf(typed, EXPLORE)[0]?.filter).toBe(filter);
  });

  it('leave words alone that are operators elsewhere', () => {
    expect(
      ['terms and conditions', 'objectName:"a and b"', 'objectName:band'].flatMap((text) =>
        hintsOf(text, EXPLORE),
      ),
    ).toEqual([]);
  });

  it('are at most three, each for its own place', () => {
    const hints = hintsOf('user=a user=b user=c user=d', EXPLORE);
    expect(hints.map(({ filter }) => filter)).toEqual([
      'principalName:a user=b user=c user=d',
      'user=a principalName:b user=c user=d',
      'user=a user=b principalName:c user=d',
    ]);
  });
});

describe('a value in another letter case', () => {
  it('is looked for where the filter asks for a value exactly', () => {
    const filter =
      'objectName:(carddata OR "a b") NOT principalName:SA succeeded:true hostName~x actionId:sl*';
    const wanted = wantedOf(filter);
    expect(wanted).toEqual([
      { field: 'objectName', value: 'carddata' },
      { field: 'objectName', value: 'a b' },
    ]);
    expect(wanted.map(anyCase)).toEqual(['objectName~carddata', 'objectName~"a b"']);
    expect(wantedOf('objectName:(a OR b OR c OR d OR e)')).toHaveLength(4);
    for (const none of ['tenantId:1', 'succeeded:true', 'NOT objectName:*', 'objectName:'])
      expect([none, wantedOf(none)]).toEqual([none, []]);
    expect(wantedOf('principalName:SA')).toEqual([{ field: 'serverPrincipalName', value: 'SA' }]);
  });

  it('takes the place of the wanted one alone', () => {
    const wanted = { field: 'objectName', value: 'carddata' } as const;
    expect(withValue('salary objectName:carddata', wanted, 'CardData')).toBe(
      'salary AND objectName:CardData',
    );
    expect(withValue('objectName:(x OR carddata) AND NOT objectName:y', wanted, 'Card Data')).toBe(
      'objectName:(x OR "Card Data") AND NOT objectName:y',
    );
    expect(withValue('objectName:(carddata OR CardData)', wanted, 'CardData')).toBe('objectName:CardData');
  });
});
