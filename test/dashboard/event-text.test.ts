import { hasHidden, showHidden, showValue } from '../../dashboard/src/explore/event/marks';
import { hitsOf } from '../../dashboard/src/explore/event/search-hits';
import { sentenceOf } from '../../dashboard/src/explore/event/sentence';
import { statedBy } from '../../dashboard/src/explore/event/stated';
import { EVENT } from '../../dashboard/src/explore/event/texts';
import { valueText } from '../../dashboard/src/explore/groups/group-text';
import { EXPLORE } from '../../dashboard/src/explore/texts';
import { FIELD_LABELS } from '../../dashboard/src/lib/field-labels';
import { counted, formatBytes, formatCount } from '../../dashboard/src/lib/numbers';

const NOBODY = {
  actionId: 'SL',
  succeeded: true,
  databaseName: null,
  schemaName: null,
  objectName: null,
  serverPrincipalName: null,
  databasePrincipalName: null,
  hostName: null,
  clientIp: null,
};

describe('the sentence about an event', () => {
  it.each([
    [
      { actionId: 'UP', serverPrincipalName: 'CORP\\alice', databasePrincipalName: 'dbo', schemaName: 'dbo' },
      { objectName: 'Payroll', databaseName: 'HR', hostName: 'WS-1', clientIp: '10.1.7.12' },
      'CORP\\alice updated dbo.Payroll from WS-1, 10.1.7.12: succeeded',
    ],
    [
      { actionId: 'LGIF', succeeded: false },
      { clientIp: '10.1.7.12' },
      'Somebody tried to log in from 10.1.7.12: failed',
    ],
    [
      { actionId: 'BA', databasePrincipalName: 'dbo' },
      { databaseName: 'HR' },
      'dbo backed up the database HR: succeeded',
    ],
    [
      { actionId: 'APRL', serverPrincipalName: 'CORP\\dba.ali' },
      { objectName: 'sysadmin', roleMember: 'CORP\\j.ortega' },
      'CORP\\dba.ali added CORP\\j.ortega to sysadmin: succeeded',
    ],
    [{ actionId: 'DPRL' }, { objectName: 'db_owner' }, 'Somebody took a member from db_owner: succeeded'],
    [{ actionId: 'APRL' }, {}, 'Somebody added a member to a role: succeeded'],
    [{ actionId: 'SL' }, {}, 'Somebody did SELECT: succeeded'],
    [{ actionId: 'ZZZZ' }, { objectName: 'x' }, 'Somebody did ZZZZ on x: succeeded'],
  ])('tells who did what to what, from where, and whether it succeeded', (who, what, sentence) => {
    expect(sentenceOf({ ...NOBODY, ...who, ...what }, EVENT)).toBe(sentence);
  });
});

describe('what an event states beyond who, what and where', () => {
  it('is each value that it has, with separators in numbers of rows alone', () => {
    const event = {
      responseRows: '9223372036854775807',
      affectedRows: '0',
      sessionId: '1051',
      classType: null,
    };
    expect(
      statedBy({ ...event, transactionId: '70001', roleMember: 'a b' }, FIELD_LABELS).map(
        ({ label, value, text }) => [label, value, text],
      ),
    ).toEqual([
      ['Rows returned', '9223372036854775807', '9,223,372,036,854,775,807'],
      ['Rows changed', '0', '0'],
      ['Session', '1051', '1051'],
      ['Transaction', '70001', '70001'],
      ['Role member', 'a b', 'a b'],
    ]);
    expect(statedBy({}, FIELD_LABELS)).toEqual([]);
  });
});

describe('a value that is shown', () => {
  it('has codes in place of characters that are invisible or turn text', () => {
    expect(showHidden('a\u202Eb\u0000c\u200Bd\u0085')).toBe('a⟦U+202E⟧b⟦U+0000⟧c⟦U+200B⟧d⟦U+0085⟧');
    expect(['a\u0007', 'a\u2066', 'tab\t line\r\n', 'é 中'].map(hasHidden)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    // The answer is the same each time.
    for (let i = 0; i < 2; i++) expect(hasHidden('\u202E')).toBe(true);
  });

  it('has quotation marks where spaces at an end would not be seen', () => {
    expect(['sa', 'sa ', ' sa', 'a b', '\u202E '].map(showValue)).toEqual([
      'sa',
      '"sa "',
      '" sa"',
      'a b',
      '"⟦U+202E⟧ "',
    ]);
  });

  it('has its name beside a code, and a word for the outcome', () => {
    expect(valueText('actionId', 'SL', EXPLORE)).toBe('SELECT SL');
    expect(valueText('actionId', 'ZZZZ', EXPLORE)).toBe('ZZZZ');
    expect([valueText('succeeded', 'true', EXPLORE), valueText('succeeded', 'false', EXPLORE)]).toEqual([
      'Succeeded',
      'Failed',
    ]);
    expect([valueText('hostName', null, EXPLORE), valueText('hostName', 'a ', EXPLORE)]).toEqual([
      '(none)',
      '"a "',
    ]);
  });
});

describe('the marks in a statement', () => {
  const STATEMENT = 'SELECT a.b FROM Salary WHERE salaryband = 1 AND x = "a+b" -- SALARY';
  const marked = (filter: string, search = '') => {
    const hits = hitsOf(filter, search);
    return hits && [...STATEMENT.matchAll(hits)].map(([hit]) => hit);
  };

  it.each([
    ['salary', '', ['Salary', 'SALARY']],
    ['salary*', '', ['Salary', 'salaryband', 'SALARY']],
    ['"a+b"', '', ['a+b']],
    ['statement:"a.b"', '', ['a.b']],
    ['objectName:Salary NOT where', '', ['Salary', 'WHERE', 'salary', 'SALARY']],
    ['', 'from salaryb*', ['FROM', 'salaryband']],
    ['', '"= 1"', ['= 1']],
    ['actionId:*', 'x', ['x']],
  ])('are those of the filter %s and the search %s', (filter, search, hits) => {
    expect(marked(filter, search)).toEqual(hits);
  });

  it.each(['', 'objectName:*', 'succeeded:true', 'recordId:0198f0a0*', 'salary AND (', '"open'])(
    'are none for %s',
    (filter) => {
      expect(marked(filter)).toBeNull();
    },
  );
});

describe('a number that is shown', () => {
  it('is whole, with a word in one or many', () => {
    expect([0, 1, 2, 1_234_567].map((n) => counted(n, 'event'))).toEqual([
      ...['0 events', '1 event', '2 events', '1,234,567 events'],
    ]);
    expect(formatCount(-1_000)).toBe('-1,000');
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [1_049_000, '1.0 MB'],
    [12_340_000, '12.3 MB'],
    [5_600_000_000, '5.6 GB'],
    [999, '999 B'],
    [999_949, '999.9 kB'],
    [999_950, '1.0 MB'],
    [999_950_000_000, '1.0 TB'],
    [7e15, '7000.0 TB'],
  ])('of bytes has a unit of powers of 1000: %d', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});
