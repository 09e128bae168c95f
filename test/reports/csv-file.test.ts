import { REPORT_FORMATS } from '../../src/modules/reports/files';

it.each(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])(
  'a file in CSV has no formula where a text begins with %j, and keeps other texts',
  (sign) => {
    const file = REPORT_FORMATS.csv.open({ columns: [] } as never);
    expect(file.rows([[`${sign}SUM(A1)`, `a${sign}b`, -5]])).toBe(`"'${sign}SUM(A1)","a${sign}b",-5\r\n`);
  },
);
