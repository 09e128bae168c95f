import fc from 'fast-check';
import { readCalls } from '../../src/tsql/calls';
import { growthOf, LINEAR_MAX } from '../support/growth';

const PIECES = [
  ...[
    'EXEC',
    'EXECUTE',
    'sp_executesql',
    'xp_cmdshell',
    'sp_configure',
    'DECLARE',
    'SET',
    'SELECT',
    '@a',
    '@b',
  ],
  ...[
    '=',
    '+=',
    '+',
    '-',
    '(',
    ')',
    ',',
    ';',
    '.',
    '::',
    "'x'",
    "N'EXEC xp_cmdshell ''y'''",
    '0x41',
    '0x',
    '1',
    '$',
  ],
  ...[
    'CHAR(',
    'REVERSE(',
    'REPLACE(',
    'STUFF(',
    'CAST(',
    'CONVERT(',
    'AS',
    'varchar',
    'NULL',
    '[',
    ']',
    '"',
    "'",
  ],
  ...['/*', '*/', '--', '\n', 'SUBSTRING(', 'TRANSLATE(', 'CONCAT(', '.value(', 'int', 'AT', '{call', '}'],
  ...[
    '{fn',
    '||',
    '||=',
    'CASE',
    'WHEN',
    'THEN',
    'ELSE',
    'END',
    'IIF(',
    'TRIM(',
    'FROM',
    'RESTORE',
    'OUTPUT',
  ],
  ...[
    'STRING_AGG(',
    'STRING_SPLIT(',
    'OPENJSON(',
    '\'["sp_"]\'',
    "'<a>'",
    'dm_os_file_exists',
    'fn_trace_gettable',
  ],
];

it('any text is read, without an error, and in bounds', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }), (pieces) => {
      const { calls, executed, procedures } = readCalls(pieces.join(' '));
      expect(calls.length).toBeLessThanOrEqual(1_100);
      expect(procedures.length).toBeLessThanOrEqual(calls.length);
      expect(executed.length).toBeLessThanOrEqual(50);
    }),
    { numRuns: 3_000 },
  );
});

it.each<[what: string, piece: string]>([
  ['parentheses', 'EXEC(('],
  ['calls', "EXEC sp_configure 'x',1;"],
  ['variables that double', 'SET @a+=@a+CHAR(65);EXEC(@a);'],
  ['statements that execute themselves', "SET @a='EXEC(@a)';EXEC(@a);"],
  ['functions', "SET @a=REPLACE(@a+'a','a','aaaaaaaaaa');EXEC(@a);"],
  ['options', "EXEC sp_configure 'o',1 "],
  ['conditions', 'EXEC(@a)SET @a=CASE WHEN 1=1 THEN IIF(1=2,'],
  ['lists in variables', "SET @a+=STRING_SPLIT(@b,'a')OPENJSON(@b)EXEC @a;"],
  ['question marks', "SET @a='?' EXEC(@a,1,2);"],
  ['values of XML', "SET @a=CAST('<a>b' AS xml).value('a','c');EXEC(@a);"],
  ['files', "SET @a='b' RESTORE a FROM @a,dm_os_file_exists(@a;"],
  ['lists', "SET @a+=STRING_SPLIT('exec a','a')OPENJSON('[\"exec\"]')EXEC @a;"],
])('megabytes of %s are read in a time that grows no faster than their length', (_, piece) => {
  expect(growthOf(piece, 2_000_000, readCalls)).toBeLessThan(LINEAR_MAX);
});

/** Half of a statement is a text, and the other half uses it again and again. */
const using = (use: string) => (text: string) =>
  readCalls(`DECLARE @t varchar(max)='${text}';${use.repeat(text.length / use.length)}EXEC(@a)`);

it.each<[what: string, read: (text: string) => unknown]>([
  ['a path of XML', (text) => readCalls(`SET @a=CAST('<a>' AS xml).value('${text}!','c');EXEC(@a)`)],
  ['a text that is trimmed', using("SET @a=TRIM('a' FROM @t);")],
  ['texts that are compared', using("SET @a=IIF(@t=@t,'a','b');")],
  ['a file', using('RESTORE A FROM DISK=@t,@t,@t,@t;')],
  ['a text that another server executes', (text) => using('EXEC(@t,1)AT L;')(text.replaceAll('a', '?'))],
])('%s is read in a time that grows no faster than the statement', (_, read) => {
  expect(growthOf('a', 120_000, read)).toBeLessThan(LINEAR_MAX);
});

it('parameters of long lists take no more work than a statement has', () => {
  const list = '@a,'.repeat(2_500);
  const read = readCalls(`DECLARE @p varchar(max)='${list}';${"EXEC sp_executesql N'x',@p,1;".repeat(300)}`);
  expect(read.madeBy).toContain('work');
});

it.each([
  ['a binary value that doubles', `DECLARE @x varbinary(max)=0x41;${'SET @x+=@x;'.repeat(40)}`],
  ['a text that doubles', `DECLARE @x varchar(max)='a';${'SET @x+=@x;'.repeat(40)}`],
])('%s hides no other call, and is more than is read', (_, sql) => {
  const { procedures, madeBy } = readCalls(`${sql}EXEC(@x);EXEC xp_cmdshell 'x'`);
  expect([procedures, madeBy]).toEqual([['xp_cmdshell'], expect.arrayContaining(['work'])]);
});

it('a list of more rows than a call takes arguments hides no call', () => {
  const rows = `exec xp_cmdshell|${'b|'.repeat(200_000)}`;
  const sql = `SELECT @x+=value FROM STRING_SPLIT('${rows}','|');EXEC(@x);EXEC xp_dirtree 'x'`;
  expect(readCalls(sql).procedures).toContain('xp_dirtree');
});
