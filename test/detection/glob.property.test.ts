import fc from 'fast-check';
import { globTest, isSlow, parseGlob } from '../../src/rules/glob';

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const pieces = fc.array(fc.constantFrom('a', 'b', 'ab', '*', '?', '\\*', '\\?', '\\\\', '\\a'), {
  maxLength: 7,
});
/** The same pattern as a regular expression. */
const MEANT: Readonly<Record<string, string>> = {
  '*': '.*',
  '?': '.',
  '\\*': '\\*',
  '\\?': '\\?',
  '\\\\': '\\\\',
};

it('a text with wildcards fits as a regular expression of the same meaning does', () => {
  let fitting = 0;
  fc.assert(
    fc.property(
      pieces,
      fc.array(fc.constantFrom('a', 'b', '*', '?', '\\'), { maxLength: 7 }).map((all) => all.join('')),
      (given, text) => {
        // A backslash before the next piece would belong to it.
        fc.pre(!given.join('').includes('\\\\\\'));
        const meant = new RegExp(`^${given.map((one) => MEANT[one] ?? escaped(one)).join('')}$`, 's');
        const fits = meant.test(text);
        expect([given, text, globTest(parseGlob(given.join('')))(text)]).toEqual([given, text, fits]);
        if (fits) fitting++;
      },
    ),
    { numRuns: 3_000 },
  );
  expect(fitting).toBeGreaterThan(100);
});

it.each([
  ['a ? in a run of 250', `?${'a'.repeat(249)}`, false],
  ['a ? in a run of 251', `?${'a'.repeat(250)}`, true],
  ['a ? at the end of a run of 251', `${'a'.repeat(250)}?`, true],
  ['a ? in the run before a long one', `a?*${'a'.repeat(300)}`, false],
  ['a ? in the run behind a long one', `${'a'.repeat(300)}*a?`, false],
  ['a long run without a ?', `*${'a'.repeat(300)}*`, false],
  ['a ? in the last of three runs', `a?*b*?${'a'.repeat(250)}`, true],
])('a text is slow by its longest run that has a ?: %s', (_, text, slow) => {
  expect(isSlow(parseGlob(text))).toBe(slow);
});
