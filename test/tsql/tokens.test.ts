import { normalForm, withoutTexts } from '../../src/tsql/normal-form';
import { tokensOf } from '../../src/tsql/tokens';

const shown = (sql: string) =>
  tokensOf(sql).flatMap(({ kind, text }) => (kind === 'space' ? [] : [[kind, text]]));

describe('a tokenizer', () => {
  it.each<[string, string, readonly (readonly [string, string])[]]>([
    [
      'texts',
      "'it''s' N'x' n'y' N 'z'",
      [
        ['text', "it's"],
        ['text', 'x'],
        ['text', 'y'],
        ['word', 'N'],
        ['text', 'z'],
      ],
    ],
    ['a text over two lines', "'xp_cmd\\\r\nshell'", [['text', 'xp_cmdshell']]],
    [
      'names',
      '[m]]al] "a""b" [x',
      [
        ['name', 'm]al'],
        ['name', 'a"b'],
        ['name', 'x'],
      ],
    ],
    [
      'words and variables',
      '_a #t ##g @x @@rowcount $action',
      [
        ...['_a', '#t', '##g'].map((one) => ['word', one] as const),
        ...['@x', '@@rowcount'].map((one) => ['variable', one] as const),
        ['word', '$action'],
      ],
    ],
    [
      'numbers',
      '1 1.5 .5 1e0 1e $1 $ £2',
      ['1', '1.5', '.5', '1e0', '1e', '$1', '$', '£2'].map((one) => ['number', one] as const),
    ],
    [
      'binary numbers',
      '0x 0xAB\\\ncd',
      [
        ['binary', '0x'],
        ['binary', '0xABcd'],
      ],
    ],
    [
      'comments',
      '/* a /* b */ c */-- d\n/* e',
      [
        ['comment', '/* a /* b */ c */'],
        ['comment', '-- d'],
        ['comment', '/* e'],
      ],
    ],
    [
      'operators',
      'a<>b LOGIN::sa x+=1',
      [
        ...[
          ['word', 'a'],
          ['mark', '<>'],
          ['word', 'b'],
          ['word', 'LOGIN'],
          ['mark', '::'],
        ],
        ...[
          ['word', 'sa'],
          ['word', 'x'],
          ['mark', '+='],
          ['number', '1'],
        ],
      ] as [string, string][],
    ],
    [
      'what touches',
      'TO[public]1RECONFIGURE\'x\'"y"',
      [
        ...[
          ['word', 'TO'],
          ['name', 'public'],
          ['number', '1'],
          ['word', 'RECONFIGURE'],
        ],
        ...[
          ['text', 'x'],
          ['name', 'y'],
        ],
      ] as [string, string][],
    ],
    ['a text that is not closed', "'a''", [['text', "a'"]]],
    [
      'other letters',
      'größe 表 ｅｘｅｃ',
      [
        ['word', 'größe'],
        ['word', '表'],
        ['word', 'ｅｘｅｃ'],
      ],
    ],
  ])('reads %s as the server does', (_, sql, tokens) => {
    expect(shown(sql)).toEqual(tokens);
  });
});

describe('the normal form', () => {
  it.each([
    ['GRANT SELECT ON dbo.Salary TO[public]', 'GRANT SELECT ON dbo.Salary TO public'],
    ['TRUNCATE TABLE[dbo].[Salary]', 'TRUNCATE TABLE dbo.Salary'],
    ["EXEC[xp_cmdshell]'x'", "EXEC xp_cmdshell 'x'"],
    ["EXEC /**/ [sys].[sp_configure] N'clr enabled' , 1", "EXEC sys.sp_configure 'clr enabled',1"],
    ['GRANT SELECT ON t TO"public"', 'GRANT SELECT ON t TO public'],
    ['DENY VIEW ON [m]]al] TO "m]al"', 'DENY VIEW ON [m]]al] TO [m]]al]'],
    ['SELECT * FROM [a b], "c d" , [1x]', 'SELECT * FROM [a b],[c d],[1x]'],
    ['SELECT * FROM [t  ], [ t]', 'SELECT * FROM t,[ t]'],
    ['SELECT count ( * ),a-1,- 1, - -1,b*-1', 'SELECT count(*),a - 1,-1,- -1,b * -1'],
    [
      'SELECT 1e0,$1,01,1.0,1.5,0x1F,.5,99999999999999999999',
      'SELECT 1,1,1,1,1.5,0x1F,.5,99999999999999999999',
    ],
    ['ｅｘｅｃ [ｘｐ_cmdshell]', 'exec xp_cmdshell'],
    ["SELECT 'a -- b' -- c", "SELECT 'a -- b'"],
    ['grant impersonate on login :: sa to eve', 'grant impersonate on login::sa to eve'],
    ['a>=1 and b<>2 and c!=3', 'a >= 1 and b <> 2 and c != 3'],
    ["EXEC ('x') AT [LNK]", "EXEC('x')AT LNK"],
  ])('of %s is %s', (sql, form) => {
    expect(normalForm(sql)).toBe(form);
  });
});

it.each([
  ["PRINT 'DROP TABLE x'", "PRINT ''"],
  ["a='it''s',b=[it's],c='x", "a='',b=[it's],c=''"],
  ['SELECT 1', 'SELECT 1'],
])('without its texts %s is %s', (form, code) => {
  expect(withoutTexts(form)).toBe(code);
});
