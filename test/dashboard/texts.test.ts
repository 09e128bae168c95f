import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { GERMAN } from '../../dashboard/src/german';

const SRC = path.resolve(__dirname, '../../dashboard/src');
/** The folders whose texts are in a catalogue. */
const WITH_CATALOGUE = ['entity', 'overview', 'shell', 'sign-in'];
/** The name of the product, and that of a time zone. */
const SAME_EVERYWHERE = ['Audit Activity', 'UTC'];
const SPOKEN = ['alt', 'aria-label', 'description', 'label', 'placeholder', 'title', 'what'];

/** Texts for people that stand in a file itself. */
function textsIn(name: string, code: string): string[] {
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isJsxText(node)) found.push(node.text.trim());
    if (ts.isJsxAttribute(node) && SPOKEN.includes(node.name.getText()) && node.initializer) {
      const { initializer } = node;
      const value = ts.isJsxExpression(initializer) ? initializer.expression : initializer;
      if (value && ts.isStringLiteral(value)) found.push(value.text);
      if (value && ts.isTemplateExpression(value))
        found.push(
          [value.head, ...value.templateSpans.map(({ literal }) => literal)]
            .map(({ text }) => text)
            .join('…'),
        );
    }
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile(name, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  return found.filter((text) => /\p{L}{2}/u.test(text) && !SAME_EVERYWHERE.includes(text));
}

describe('texts of the dashboard', () => {
  it.each(WITH_CATALOGUE)('of %s stand in its catalogue alone', (folder) => {
    const files = readdirSync(path.join(SRC, folder)).filter((name) => name.endsWith('.tsx'));
    expect(files.length).toBeGreaterThan(0);
    for (const name of files)
      expect([name, textsIn(name, readFileSync(path.join(SRC, folder, name), 'utf8'))]).toEqual([name, []]);
  });

  it('are found in a file that has them itself', () => {
    const code =
      'const a = <p title="Two words" lang="en" what={`of $' + '{n}`}>Some {b} <i>text</i> · 1</p>;';
    expect(textsIn('a.tsx', code)).toEqual(['Two words', 'of …', 'Some', 'text']);
  });

  it('are there in German, each with all of its values', () => {
    // Those of these folders, and the names of fields.
    expect(GERMAN.size).toBe(WITH_CATALOGUE.length + 1);
    for (const [english, german] of GERMAN) {
      expect(Object.keys(german)).toEqual(Object.keys(english));
      for (const [name, text] of Object.entries(english)) {
        const other = german[name];
        expect([name, typeof other]).toEqual([name, typeof text]);
        if (typeof text !== 'function' || typeof other !== 'function') {
          expect(String(other)).not.toBe('');
          continue;
        }
        expect([name, other.length]).toEqual([name, text.length]);
        const values = Array.from({ length: text.length }, (_, i) => `<${i}>`);
        const used = (sentence: string) => values.filter((value) => sentence.includes(value));
        const [said, toldInGerman] = [text, other].map((say) =>
          (say as (...all: string[]) => string)(...values),
        );
        expect([name, used(toldInGerman ?? '')]).toEqual([name, used(said ?? '')]);
      }
    }
  });
});
