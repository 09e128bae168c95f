import { csvLine } from '../../dashboard/src/lib/csv';

describe('a row as CSV', () => {
  it.each(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])(
    'is no formula where a text begins with %j',
    (sign) => {
      const [first = ''] = csvLine([`${sign}SUM(A1)`, 'x']).split(',');
      expect(first.replace(/^"/, '')).toBe(`'${sign}SUM(A1)${/[\r\n]/.test(sign) ? '"' : ''}`);
    },
  );

  it('keeps such a character elsewhere, and every other text as it is', () => {
    expect(csvLine(['a@b', 'CORP\\svc-etl', '1=1', '', ' =1'])).toBe('a@b,CORP\\svc-etl,1=1,, =1\r\n');
  });

  it('puts quotation marks around what would end a cell, and doubles those within', () => {
    expect(csvLine(['a,b', 'say "x"', 'two\nlines', 'two\rlines'])).toBe(
      '"a,b","say ""x""","two\nlines","two\rlines"\r\n',
    );
    expect(csvLine(['=1,"a"'])).toBe('"\'=1,""a"""\r\n');
  });
});
