import fc from 'fast-check';
import { EXPRESSION_NAMES } from '../../../src/event/expression/expression';
import { nearestNames } from '../../../src/event/expression/nearest';
import { parseFilter } from '../../../src/event/expression/parse-filter';
import { inWords, printed } from '../../../src/event/expression/printed';
import { writtenFilters } from '../../support/written-filters';

const parse = (text: string) => {
  const parsed = parseFilter(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.expression;
};

describe('an expression that is printed', () => {
  it('is parsed to the same conditions', () => {
    fc.assert(
      fc.property(writtenFilters, ({ text }) => {
        const expression = parse(text);
        expect(parse(printed(expression))).toEqual(expression);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [
      'a OR b c',
      'a OR (b AND c)',
      'a field has the word "a" or (a field has the word "b" and a field has the word "c")',
    ],
    ['-objectName~pay*', 'NOT objectName~"pay"*', 'not (objectName begins with "pay" in any letter case)'],
    ['principalName:"CORP\\\\x"', 'serverPrincipalName:"CORP\\\\x"', 'serverPrincipalName is "CORP\\\\x"'],
    ['responseRows:>5', 'responseRows:>5', 'responseRows is at least 6'],
    ['responseRows:(* TO 9)', 'responseRows:(* TO 9)', 'responseRows is at most 9'],
    ['responseRows:(1 TO 9)', 'responseRows:(1 TO 9)', 'responseRows is from 1 to 9'],
    ['responseRows:(* TO *)', 'responseRows:(* TO *)', 'responseRows is a number'],
    ['clientIp:10.0.0.0/8', 'clientIp:10.0.0.0/8', 'clientIp is an address of the network 10.0.0.0/8'],
    ['statement:drop', 'statement:"drop"', 'statement contains "drop"'],
    ['hostName:*', 'hostName:*', 'hostName has a value'],
    [
      '"a b" dro*',
      '"a b" AND dro*',
      'a field contains "a b" in any letter case and a field has a word that begins with "dro"',
    ],
  ])('%s', (text, back, words) => {
    expect([printed(parse(text)), inWords(parse(text))]).toEqual([back, words]);
  });
});

describe('the nearest names of fields', () => {
  it.each([
    ['objctName', 'objectName'],
    ['principal', 'principalName'],
    ['OBJECTNAM', 'objectName'],
    ['clientip2', 'clientIp'],
    ['login', undefined],
  ])('of %s begin with %s', (given, first) => {
    expect(nearestNames(given, EXPRESSION_NAMES)[0]).toBe(first);
  });

  it('are a beginning or an end first, of three letters at least, and then what takes the fewest changes', () => {
    const names = ['hostName', 'databaseName', 'name', 'host'];
    expect(nearestNames('hostN', names)).toEqual(['hostName', 'host']);
    expect(nearestNames('baseName', names)).toEqual(['databaseName', 'name']);
    expect(nearestNames('ho', names)).toEqual(['host']);
    expect(nearestNames('hosst', names)).toEqual(['host']);
    expect(nearestNames('hostNameOfClient', names)).toEqual(['hostName', 'host']);
    expect(nearestNames('theHostName', names)).toEqual(['hostName', 'name']);
  });

  it('are told where a field is unknown', () => {
    expect(() => parse('objctName:x')).toThrow(/in place of "objctName" \(nearest: objectName\), one of/);
  });
});
