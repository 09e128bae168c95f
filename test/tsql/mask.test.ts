import fc from 'fast-check';
import { maskLiterals } from '../../src/tsql/mask';
import { type Token, tokensOf } from '../../src/tsql/tokens';
import { growthOf, LINEAR_MAX } from '../support/growth';
import { SEEDED } from '../support/seeded-statements';

const LITERALS = ['text', 'number', 'binary'];
const meaning = (tokens: readonly Token[]) =>
  tokens.filter(({ kind }) => kind !== 'space' && kind !== 'comment');
/** A token as it looks without its literal. */
const shape = ({ kind, text }: Token) => [kind, LITERALS.includes(kind) || kind === 'name' ? '' : text];

describe('a masked statement', () => {
  it.each([
    ["SELECT * FROM t WHERE a = 'x' AND b = N'y'", "SELECT * FROM t WHERE a = '…' AND b = N'…'"],
    ['SELECT TOP 10 1.5e3, 0xFF, $4.20', 'SELECT TOP 0 0, 0x, 0'],
    ["EXEC p @a='it''s', @b=-1 -- why\n, @c=2", "EXEC p @a='…', @b=-0 --\n, @c=0"],
    ['/* a /* b */ c */SELECT "x", [y 1]', '/**/SELECT "…", [y 1]'],
    ["SELECT 'open", "SELECT '…'"],
    ['SELECT /* open', 'SELECT /**/'],
    ["a'b'c", "a '…' c"],
    ["'a''b'", "'…'"],
    ['', ''],
    [
      'EXEC sp_addlogin eve, [hunter 2], @x = secret OUTPUT SELECT a',
      "EXEC sp_addlogin '…', '…', @x = '…' OUTPUT SELECT a",
    ],
    [
      'EXECUTE @r = dbo.p secret; EXEC q NULL, DEFAULT, -5, select',
      "EXECUTE @r = dbo.p '…'; EXEC q NULL, DEFAULT, -0, '…'",
    ],
    ['EXEC dbo.p @rows READONLY, secret', "EXEC dbo.p @rows READONLY, '…'"],
    ['sp_password old, new', "sp_password '…', '…'"],
    ['dbo.setpin secret', "dbo.setpin '…'"],
    ['GRANT EXECUTE ON dbo.p TO bob', 'GRANT EXECUTE ON dbo.p TO bob'],
    ['CREATE PROC p WITH EXECUTE AS OWNER AS SELECT a', 'CREATE PROC p WITH EXECUTE AS OWNER AS SELECT a'],
    ["Login failed for user 'sa'.", "Login failed for user '…'."],
  ])('of %s is %s', (statement, expected) => {
    expect(maskLiterals(statement)).toBe(expected);
  });

  it('has none of 200 seeded literals, is read to the same tokens, and stays as it is', () => {
    expect(SEEDED).toHaveLength(200);
    for (const { statement, secrets } of SEEDED) {
      const masked = maskLiterals(statement);
      expect([statement, secrets.filter((secret) => masked.includes(secret))]).toEqual([statement, []]);
      expect(meaning(tokensOf(masked)).map(shape)).toEqual(meaning(tokensOf(statement)).map(shape));
      expect(maskLiterals(masked)).toBe(masked);
    }
  });

  it.each([
    ['brackets', ']]'],
    ['brackets of one name', ']]a'],
  ])('of %s takes a time that grows no faster than the statement', (_, piece) => {
    expect(growthOf(piece, 200_000, (text) => maskLiterals(`[${text}a]`))).toBeLessThan(LINEAR_MAX);
  });

  it('keeps its tokens whatever the text is, and takes nothing from literals', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "'",
        "''",
        '"',
        '[',
        ']',
        '--',
        '/*',
        '*/',
        '\n',
        ' ',
        '0x',
        'N',
        '1',
        '.',
        'e',
        '$',
        '@',
        'a',
        '+',
      ),
      fc.string({ maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const statement = pieces.join('');
        const masked = maskLiterals(statement);
        expect(maskLiterals(masked)).toBe(masked);
        const literals = tokensOf(masked).filter(({ kind }) => LITERALS.includes(kind));
        for (const { kind, text } of literals)
          expect([kind, text]).toEqual([kind, { text: '…', number: '0', binary: '0x' }[kind as 'text']]);
      }),
      { numRuns: 2_000 },
    );
  });
});
