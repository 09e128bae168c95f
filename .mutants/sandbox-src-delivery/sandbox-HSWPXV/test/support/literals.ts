import ts from 'typescript';
import type { Source } from './imports';

export interface Literal {
  readonly file: string;
  readonly line: number;
  readonly kind: 'text' | 'number' | 'name';
  readonly value: string;
  /** The code around it, for exceptions and messages. */
  readonly context: string;
}

/** Every text, number and property name in a file, without comments and imports. */
export function literalsOf({ file, text }: Source): Literal[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Literal[] = [];
  const add = (node: ts.Node, kind: Literal['kind'], value: string) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    const context = node.parent.getText(source).replace(/\s+/g, ' ').slice(0, 200);
    found.push({ file, line: line + 1, kind, value, context });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) add(node, 'text', node.text);
    else if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) add(node, 'text', node.text);
    else if (ts.isNumericLiteral(node)) add(node, 'number', node.text);
    else if (ts.isIdentifier(node) && isPropertyName(node)) add(node, 'name', node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** A name that a declaration gives to a property: `{ name: … }`, `x.name`. */
const isPropertyName = (node: ts.Identifier) =>
  (ts.isPropertyAssignment(node.parent) && node.parent.name === node) ||
  (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) ||
  (ts.isPropertySignature(node.parent) && node.parent.name === node);

/** `rest-facade/app.ts:12: 404 in response.status(404)` */
export const describeLiteral = ({ file, line, value, context }: Literal) =>
  `${file}:${line}: ${value} in ${context}`;

/** Places besides its home where a literal may stand, and why. */
export interface Exception {
  readonly file: string;
  readonly context: RegExp;
  readonly reason: string;
}
export const outside = (home: string) => (literal: Literal) => literal.file !== home;
/** The literals that no exception allows. */
export const not =
  (...exceptions: readonly Exception[]) =>
  (literal: Literal) =>
    !exceptions.some(({ file, context }) => literal.file.startsWith(file) && context.test(literal.context));
