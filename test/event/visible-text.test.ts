import fc from 'fast-check';
import { toTable } from '../../src/cli/table';
import { jsonOnOneLine, onOneLine } from '../../src/event/visible-text';

const hostile = fc.string({
  unit: fc.constantFrom(
    ...[
      'a',
      '"',
      '\\',
      '\n',
      '\r',
      '\t',
      '\0',
      '\u001b',
      '\u007f',
      '\u0085',
      '\u009b',
      '\u200b',
      '\u202e',
      '\u2066',
    ],
    ...['\u2028', '\u2029', '\ufeff', '\ud800', '\u{e0041}', 'é', '漢', '😀', '⟦'],
  ),
});
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

it('a text on one line has a visible code in place of each hidden character', () => {
  expect(['a\nb\u202e\ud800', '\u{e0041}😀'].map(onOneLine).join('')).toBe(
    'a⟦U+000A⟧b⟦U+202E⟧⟦U+D800⟧⟦U+E0041⟧😀',
  );
  fc.assert(fc.property(hostile, (text) => expect(onOneLine(text)).not.toMatch(HIDDEN)));
});

it('JSON on one line has the same value, and no hidden character', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const json = jsonOnOneLine(JSON.stringify({ [text]: [text] }));
      expect(json).not.toMatch(HIDDEN);
      expect(JSON.parse(json)).toEqual({ [text]: [text] });
    }),
  );
});

it('a table has one line for each row, whatever its values hold', () => {
  const rows = [
    { name: 'x\nname  group\nforged', group: { 'a\u202e': 'b\u2028' } },
    { name: ['1\n', '2'], group: null },
  ];
  expect(toTable(rows).split('\n')).toEqual([
    expect.stringMatching(/^name +group$/),
    'x⟦U+000A⟧name  group⟦U+000A⟧forged  {"a⟦U+202E⟧":"b⟦U+2028⟧"}',
    expect.stringMatching(/^1⟦U\+000A⟧,2 +-$/),
  ]);
});
