import type { Cell } from '../../src/csv';
import type { Chart, Column, End, Head, Table } from '../../src/modules/reports/document';
import { HtmlFile } from '../../src/modules/reports/html-file';
import { PdfFile } from '../../src/modules/reports/pdf/pdf-file';
import { textsOf } from './support/pdf-texts';

const text = (name: string): Column => ({ name, title: name, kind: 'text' });
const COLUMNS: readonly Column[] = [
  { name: 'eventTime', title: 'Time', kind: 'time' },
  text('login'),
  { name: 'rows', title: 'Rows read', kind: 'number' },
  { name: 'statement', title: 'Statement', kind: 'statement' },
];
const HEAD: Head = {
  runId: '0196a1b2-aaaa-4bbb-8ccc-123456789012',
  reportId: 'sensitive-access',
  title: 'Access to sensitive data',
  about: 'Who read what.',
  tenantId: '7',
  createdAt: '2026-11-26T03:30:00.000Z',
  question: {
    startTime: '2026-10-01T00:00:00.0000000Z',
    endTime: '2026-11-01T00:00:00.0000000Z',
    timeZone: 'Europe/Berlin',
    filter: 'actionId:(SL OR EX)',
    parameters: { objectName: 'Ländertabelle' },
  },
  columns: COLUMNS,
};
const endOf = (rows: number): End => ({
  rows,
  gaps: [{ hostName: 'db7', databaseName: 'Payroll', reason: 'DAMAGED', afterTime: null, beforeTime: null }],
  behind: [
    { hostName: 'db8', databaseName: 'Shop', completeThrough: '2026-10-30T17:00:00.0000000Z' },
    { hostName: 'db9', databaseName: 'Shop', completeThrough: null },
  ],
  removed: { from: '2026-09-30T22:00:00.000Z', to: '2026-10-01T22:00:00.000Z', events: 123_456 },
  log: { size: 4711, root: 'ab'.repeat(32), checkpoint: null },
  recordIdsRoot: 'cd'.repeat(32),
});
const CHART: Chart = {
  kind: 'chart',
  title: 'Over time',
  bars: [{ label: '2026-10-01', succeeded: 12, failed: 3 }],
};
const TABLE: Table = {
  kind: 'table',
  title: 'By login',
  columns: [text('login')],
  rows: [['Ελένη']],
  more: 5,
};

const rowOf = (i: number, login: Cell, statement = `SELECT ${i}`): Cell[] => [
  new Date(Date.parse('2026-10-01T00:00:00Z') + i * 1000).toISOString(),
  login,
  i,
  statement,
];
const LOGINS = [
  'CORP\\ana',
  'Иван',
  null,
  '管理员',
  'محمد',
  'Zoë',
  'e\u0301te\u0301',
  '\u202esa',
  '👩‍💻',
  'a\tb\nc',
];

function made(rows: readonly (readonly Cell[])[], batch = 7): Buffer {
  const file = new PdfFile(HEAD);
  const parts = [file.begin()];
  for (let i = 0; i < rows.length; i += batch) parts.push(file.rows(rows.slice(i, i + batch)));
  return Buffer.concat([...parts, file.end([CHART, TABLE], endOf(rows.length))]);
}
const ROWS = Array.from({ length: 200 }, (_, i) => rowOf(i, LOGINS[i % LOGINS.length] ?? null));

it('a report in PDF is the same bytes each time, however its rows arrive', () => {
  expect(made(ROWS, 7).equals(made(ROWS, 200))).toBe(true);
});

it('it says what the page in HTML says', () => {
  const html = new HtmlFile(HEAD);
  const page = [html.begin(), html.rows(ROWS), html.end([CHART, TABLE], endOf(ROWS.length))].join('');
  const shown = textsOf(made(ROWS));
  const joined = shown.replaceAll('\n', ' ');
  for (const part of [
    'Access to sensitive data',
    'Who read what.',
    'tenant 7 · 2026-10-01 02:00:00.000 +02:00 to 2026-11-01 01:00:00.000 +01:00 (Europe/Berlin)',
    'Over time',
    'By login',
    'and 5 more',
    'actionId:(SL OR EX)',
    'Ländertabelle',
    'db7, Payroll: DAMAGED, … to …',
    `4711 entries, root ${'ab'.repeat(32)}`,
    'Иван',
  ]) {
    expect(page).toContain(part);
    expect(joined).toContain(part);
  }
  for (const [, , , statement] of ROWS) expect(shown).toContain(statement);
  expect(shown.match(/^Page \d+ of \d+$/gm)?.length).toBe(Number(/Page \d+ of (\d+)/.exec(shown)?.[1]));
});

it('characters without a glyph, and scripts that must be joined, are written by their numbers', () => {
  const joined = textsOf(made(ROWS)).replaceAll('\n', ' ');
  for (const part of ['U+7BA1 U+7406 U+5458⟧', 'U+0645 U+062D U+0645 U+062F⟧', '⟦U+202E⟧sa', 'U+200D', 'été'])
    expect(joined).toContain(part);
  expect(joined).toContain('The fonts of this file lack some characters');
  expect(joined).not.toMatch(/[\ufffd\u202e\u0600-\u06ff\u4e00-\u9fff]/);
  expect(textsOf(made([rowOf(1, 'ana')]))).not.toContain('The fonts of this file');
});

it('a text of 100 kB is cut, and breaks no page', () => {
  const huge = 'x'.repeat(100_000);
  const shown = textsOf(
    made([rowOf(1, huge, huge), rowOf(2, '中'.repeat(100_000), '😀'.repeat(50_000)), rowOf(3, 'last')]),
  );
  expect(shown).toContain('(cut; CSV and JSON');
  expect(shown).toContain('last');
  expect(shown.length).toBeLessThan(20_000);
});

it('a report without rows, sections and gaps is a document', () => {
  const file = new PdfFile(HEAD);
  const bytes = Buffer.concat([file.begin(), file.rows([]), file.end([], { ...endOf(0), gaps: [] })]);
  expect(textsOf(bytes)).toContain('None.');
});

it('rows beyond the most are not in it, which it says', () => {
  const file = new PdfFile(HEAD, 3);
  const parts = [file.begin(), file.rows(ROWS.slice(0, 2)), file.rows(ROWS.slice(2, 9))];
  const shown = textsOf(Buffer.concat([...parts, file.end([], endOf(9))]));
  expect(shown).toContain('The first 3 of 9 rows; CSV and JSON have all.');
  expect([shown.includes('SELECT 2'), shown.includes('SELECT 3')]).toEqual([true, false]);
});
