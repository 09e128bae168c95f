import fc from 'fast-check';
import { normalForm } from '../../src/tsql/normal-form';
import { type Token, tokensOf } from '../../src/tsql/tokens';

const SIGNS = [
  "'",
  '"',
  '[',
  ']',
  '/*',
  '*/',
  '--',
  '\n',
  '\\',
  '0x',
  '1e',
  '$',
  'N',
  '@',
  '#',
  '.',
  '::',
  'ａ',
  '\0',
];
const anySql = fc
  .array(
    fc.oneof(
      fc.constantFrom(...SIGNS),
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.string({ maxLength: 3 }),
    ),
    {
      maxLength: 30,
    },
  )
  .map((all) => all.join(''));

it('tokens cover any text without a gap, and none of them is empty', () => {
  fc.assert(
    fc.property(anySql, (sql) => {
      const tokens = tokensOf(sql);
      expect(tokens.map(({ start, end }) => sql.slice(start, end)).join('')).toBe(sql);
      for (const [i, { start, end }] of tokens.entries()) {
        expect(end).toBeGreaterThan(start);
        expect(start).toBe(tokens[i - 1]?.end ?? 0);
      }
      normalForm(sql);
    }),
    { numRuns: 3_000 },
  );
});

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,6}$/).filter((one) => one.toUpperCase() !== 'N');
const strange = fc.string({ minLength: 1, maxLength: 6 }).filter((one) => one.trim() === one);
type Meant = readonly [kind: Token['kind'], text: string];
const marks = fc.constantFrom(
  ...['', '', '', '(', ')', ',', ';', '=', '+', '-', '*', '<', '>=', '::'],
  ...['),', ');', '=-', ',(', '*-', ')-', '(-'],
);
/** A token that means something, with the marks before it. */
const meant = fc
  .tuple(
    marks.map((all) => (all.match(/>=|::|./g) ?? []).map((one): Meant => ['mark', one])),
    fc.oneof(
      name.map((text): Meant => ['word', text]),
      name.map((text): Meant => ['name', text]),
      strange.map((text): Meant => ['name', text]),
      fc.string({ maxLength: 8 }).map((text): Meant => ['text', text]),
      fc.nat({ max: 10 ** 9 }).map((n): Meant => ['number', String(n)]),
      name.map((text): Meant => ['variable', `@${text}`]),
    ),
  )
  .map(([before, own]) => [...before, own]);
const statement = fc.array(meant, { maxLength: 10 }).map((all) => all.flat());
const gap = fc.constantFrom(' ', '\t', '\r\n', '/**/', '/* a /* b */ */', '-- c\n', " /* ' */ ");
const bit = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 });

/** Writes a token in one of the ways that mean the same. */
function written([kind, text]: Meant, [a, b, c]: readonly boolean[]): string {
  if (kind === 'name') return a ? `"${text.replaceAll('"', '""')}"` : `[${text.replaceAll(']', ']]')}]`;
  if (kind === 'text') return `${a ? 'N' : ''}'${text.replaceAll("'", "''")}'`;
  // The next piece may begin a comment.
  if (text === '-') return '- ';
  if (kind === 'number') return a ? `0${text}` : b ? `${text}.0` : c ? `$${text}` : text;
  if (kind !== 'word') return text;
  return a ? `[${text}]` : b ? `"${text}"` : c ? text.toUpperCase() : text.toLowerCase();
}
const spelling = (tokens: readonly Meant[]) =>
  fc
    .tuple(
      fc.array(bit, { minLength: tokens.length, maxLength: tokens.length }),
      fc.array(gap, { minLength: tokens.length, maxLength: tokens.length }),
    )
    .map(([bits, gaps]) =>
      tokens.map((one, i) => `${written(one, bits[i] as boolean[])}${gaps[i]}`).join(''),
    );

it('a statement keeps its normal form with other comments, spaces, quotes, numbers and letter case', () => {
  const two = statement.chain((tokens) => fc.tuple(spelling(tokens), spelling(tokens)));
  fc.assert(
    fc.property(two, ([one, other]) => {
      expect(normalForm(one).toLowerCase()).toBe(normalForm(other).toLowerCase());
    }),
    { numRuns: 2_000 },
  );
});

it('a normal form is its own normal form', () => {
  const sound = statement.chain((tokens) => spelling(tokens));
  fc.assert(
    fc.property(sound, (sql) => {
      const form = normalForm(sql);
      expect(normalForm(form)).toBe(form);
    }),
    { numRuns: 2_000 },
  );
});
