import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import ts from 'typescript';
import { GERMAN } from '../../dashboard/src/german';

const SRC = path.resolve(__dirname, '../../dashboard/src');
const NAMES = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
/**
 * The page in an evidence package, which is a file of its own in English; the start of the page, whose failure no person
 * reads; and the catalogues themselves.
 */
const APART = /^package-page\/|^main\.tsx$|texts(\.de)?\.ts$|^lib\/(common|field-labels)(\.de)?\.ts$/;
/** Names and commands that every language has, also with a value behind them. */
const SAME_EVERYWHERE =
  /^(Audit Activity|API|ATT&CK|CSV|NDJSON|OSCAL|SHA-256|URL|UTC|Linux|Windows|audit-activity [a-z -]+)(:? ?…)?$/;
/** The attributes and properties whose texts are shown or spoken. */
const SPOKEN = [
  ...['action', 'alt', 'aria-label', 'description', 'does', 'error', 'hint', 'label', 'message', 'note'],
  ...['noRecordsText', 'placeholder', 'recordsPerPageLabel', 'said', 'summary', 'title', 'what', 'why'],
];

/** The literal texts that an expression may come to: those of its branches, but not those that it compares. */
function literals(node: ts.Node | undefined): string[] {
  if (!node) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    const pieces = [node.head, ...node.templateSpans.map(({ literal }) => literal)];
    const inner = node.templateSpans.flatMap(({ expression }) => literals(expression));
    return [pieces.map(({ text }) => text).join('…'), ...inner];
  }
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(literals);
  if (ts.isBinaryExpression(node) && ['&&', '||', '??', '+'].includes(node.operatorToken.getText()))
    return [...(node.operatorToken.getText() === '&&' ? [] : literals(node.left)), ...literals(node.right)];
  if (ts.isParenthesizedExpression(node) || ts.isJsxExpression(node)) return literals(node.expression);
  return [];
}

/** Texts for people that stand in a file itself. */
function textsIn(name: string, code: string): string[] {
  const found: string[] = [];
  const isSpoken = (node: ts.Node) => SPOKEN.includes(node.getText().replace(/^'|'$/g, ''));
  const look = (node: ts.Node): void => {
    if (ts.isJsxText(node)) found.push(node.text.trim());
    else if (ts.isJsxAttribute(node) && isSpoken(node.name)) found.push(...literals(node.initializer));
    // A name in a catalogue is one word that begins with a small letter.
    else if (ts.isPropertyAssignment(node) && isSpoken(node.name))
      found.push(...literals(node.initializer).filter((text) => !/^[a-z]\w*$/.test(text)));
    else if (ts.isNewExpression(node) && node.expression.getText() === 'Error' && name.endsWith('x'))
      found.push(...(node.arguments ?? []).flatMap(literals));
    else if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) found.push(...literals(node));
    ts.forEachChild(node, look);
  };
  const kind = name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  look(ts.createSourceFile(name, code, ts.ScriptTarget.Latest, true, kind));
  return found.filter((text) => /\p{L}{2}/u.test(text) && !SAME_EVERYWHERE.test(text));
}

describe('texts of the dashboard', () => {
  const files = NAMES.filter((name) => /\.tsx?$/.test(name) && !APART.test(name));

  it.each(files)('of %s stand in a catalogue alone', (name) => {
    expect(textsIn(name, readFileSync(path.join(SRC, name), 'utf8'))).toEqual([]);
  });

  it('are found in a file that has them itself', () => {
    const code = `
      const a = <p title="Two words" lang="en" what={\`of \${n}\`}>Some {b} <i>text</i> · 1</p>;
      const b = [{ label: c === 'not this' ? 'Yes' : t.no }, <b>{d && 'And this'}</b>];
      if (e) throw new Error('Choose one.');`;
    expect(textsIn('a.tsx', code)).toEqual([
      'Two words',
      'of …',
      'Some',
      'text',
      'Yes',
      'And this',
      'Choose one.',
    ]);
  });

  it('are there in German, each with all of its values', () => {
    const turned: string[] = [];
    expect(GERMAN.size).toBe(NAMES.filter((name) => name.endsWith('.de.ts')).length);
    for (const name of NAMES.filter((each) => path.basename(each) === 'texts.ts' && each !== 'lib/texts.ts'))
      expect(NAMES).toContain(name.replace(/ts$/, 'de.ts'));
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
        // They do as numbers and as texts, and no language writes them in another way.
        const values = Array.from({ length: text.length }, (_, i) => String(101 + i));
        const used = (sentence: string) => values.filter((value) => sentence.includes(value));
        const [said = '', toldInGerman = ''] = [text, other].map((say) =>
          (say as (...all: unknown[]) => string)(...values),
        );
        expect([name, used(toldInGerman)]).toEqual([name, used(said)]);
        const inOrder = (sentence: string) =>
          used(sentence).sort((a, b) => sentence.indexOf(a) - sentence.indexOf(b));
        if (!isDeepStrictEqual(inOrder(said), inOrder(toldInGerman)))
          turned.push(`${name}: ${said} | ${toldInGerman}`);
      }
    }
    expect(turned).toEqual([]);
  });
});
